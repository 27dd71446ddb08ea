"""Servers of our own let in nobody who was not given their address."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from goldfish.errors import ServiceError, mask
from goldfish.services import PostgresServer, RedisServer
from goldfish.services.wire import run_postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL of our own."""
    with PostgresServer(in_memory=True) as server:
        yield server


@pytest.fixture(scope="module", params=["none", "always"])
def own_redis(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    """A Redis of our own, of either kind."""
    with RedisServer(persistence=request.param) as server:
        yield server


@pytest.mark.parametrize("password", [None, "", "goldfish", "postgres"])
@pytest.mark.parametrize("user", ["goldfish", "postgres", "nobody"])
def test_postgres_refuses_who_does_not_know_the_password(
    postgres: PostgresServer, user: str, password: str | None
) -> None:
    """Also its superuser, who could run programs of the account that runs the server."""
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(
            host="127.0.0.1",
            port=postgres.port,
            user=user,
            password=password,
            dbname="postgres",
            passfile=os.devnull,
        )


def test_postgres_has_no_rule_that_trusts(postgres: PostgresServer) -> None:
    """Not for a database, not for replication; and it listens on no socket of the file system."""
    with psycopg.connect(postgres.dsn) as connection:
        methods = connection.execute("SELECT DISTINCT auth_method FROM pg_hba_file_rules")
        assert methods.fetchall() == [("scram-sha-256",)]
        sockets = connection.execute("SHOW unix_socket_directories").fetchone()
        assert sockets == ("",)


@pytest.mark.parametrize("password", ["", "goldfish"])
def test_our_own_client_is_refused_as_well(postgres: PostgresServer, password: str) -> None:
    """It proves that it knows the password, and asks the server for the same proof."""
    with pytest.raises(ServiceError, match="password authentication failed"):
        run_postgres(postgres.port, user="goldfish", password=password)
    run_postgres(postgres.port, user="goldfish", password=postgres.password)


@pytest.mark.parametrize("password", [None, "goldfish"])
def test_redis_refuses_who_does_not_know_the_password(
    own_redis: RedisServer, password: str | None
) -> None:
    """Neither a read nor a setting gets through."""
    with redis.Redis(port=own_redis.port, password=password) as client:
        for command in ("GET x", "CONFIG GET dir", "SCRIPT FLUSH"):
            with pytest.raises(redis.AuthenticationError):
                client.execute_command(*command.split())


def test_a_redis_may_be_open_if_that_is_asked_for() -> None:
    """An empty password in the settings is none."""
    with RedisServer(settings={"requirepass": ""}) as server:
        assert "@" not in server.url
        with redis.Redis(port=server.port) as client:
            assert client.ping()


def test_no_password_is_on_a_command_line_in_a_log_or_in_the_environment(
    postgres: PostgresServer, own_redis: RedisServer
) -> None:
    """Every account can read the first, and who reads the others would find it."""
    for server in (postgres, own_redis):
        for name in ("cmdline", "environ"):
            assert server.password.encode() not in Path(f"/proc/{server.pid}/{name}").read_bytes()
        assert server.password not in server.log_tail(10_000)


def test_what_holds_data_and_passwords_is_private(
    postgres: PostgresServer, own_redis: RedisServer
) -> None:
    """Nobody but the server's account may enter its data or read its log and configuration."""
    for server in (postgres, own_redis):
        assert stat.S_IMODE((server.directory / "data").stat().st_mode) == 0o700
        files = [each for each in server.directory.iterdir() if each.is_file()]
        assert files
        assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
    kept = postgres.directory / "data" / "goldfish.password"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_addresses_carry_a_long_random_password(
    postgres: PostgresServer, own_redis: RedisServer
) -> None:
    """Of characters that every library can parse; and it is masked where addresses are told."""
    for address in (postgres.dsn, postgres.database(), own_redis.url, own_redis.database()):
        password = urlsplit(address).password or ""
        assert re.fullmatch("[0-9a-f]{32}", password)
        assert password not in mask(address)

"""A sandbox is cheap as long as nothing is to go wrong in it, and has servers of its own if so."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldfish.errors import ServiceError, UsageError
from goldfish.services import PostgresServer, RedisServer, pool, reaper, shared
from goldfish.world.faults import NotPossibleError
from goldfish.world.faults.service import parse_tcp_address
from goldfish.world.remote import RemoteSandbox
from goldfish.world.sandbox import Sandbox
from tests.world.faults.clients import ask, postgres, raw, redis_client

WITHOUT_FAULTS = """
import sys
from goldfish.world.sandbox import Sandbox
sandbox = Sandbox()
print(sandbox.description()["addresses"], [name for name in sys.modules if "faults" in name])
sandbox.close()
"""
LEFT_OPEN = """
from goldfish.world.sandbox import Sandbox
sandbox = Sandbox(own_servers=True)
sandbox.redis_url
print(sandbox.faults._service("redis").server.pid, sandbox.path)
"""


@pytest.fixture
def external_redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisServer]:
    """A Redis that the user gave us, as far as the sandbox knows."""
    with RedisServer(settings={"requirepass": "s3cret"}) as server:
        monkeypatch.setenv("GOLDFISH_REDIS_URL", server.url)
        # Other tests of this process have their own idea of what is shared.
        monkeypatch.setattr(shared, "_shared", shared._Shared())
        yield server


def printed_by(code: str) -> str:
    """What a Python of its own prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_sandbox_without_faults_imports_and_starts_nothing() -> None:
    """No server, no proxy, and not even the code for them."""
    assert printed_by(WITHOUT_FAULTS) == "{} []"


def test_a_sandbox_without_faults_shares_a_server() -> None:
    """Two of them have two databases of one Redis, with no proxy before it."""
    one, other = Sandbox(), Sandbox()
    try:
        assert one.redis_url == one.redis_url != other.redis_url
        assert one.redis_url.rpartition("/")[0] == other.redis_url.rpartition("/")[0]
    finally:
        one.close()
        other.close()


def test_own_servers_are_nobody_elses() -> None:
    """Two sandboxes at the same time have two servers, and what one does hurts only it."""
    one, other = Sandbox(own_servers=True), Sandbox()
    _ = other.faults
    try:
        with redis_client(one.redis_url) as client, redis_client(other.redis_url) as neighbour:
            assert client.info("server")["process_id"] != neighbour.info("server")["process_id"]
            with one.faults.server("redis").kill():
                assert neighbour.ping()
            client.set("key", "1")
            assert neighbour.dbsize() == 0
    finally:
        one.close()
        other.close()


def test_faults_come_before_the_first_address() -> None:
    """A shared server is not tormented: the error says what to do, and the disk is still ours."""
    sandbox = Sandbox()
    address = sandbox.redis_url
    try:
        for fault in (sandbox.faults.network, sandbox.faults.server):
            with pytest.raises(UsageError, match=r"before the first address"):
                fault("redis")
        assert sandbox.faults.disk is sandbox.faults.disk
        assert sandbox.redis_url == address
    finally:
        sandbox.close()


def test_an_unknown_service_is_named() -> None:
    """The error says which there are."""
    sandbox = Sandbox(own_servers=True)
    with pytest.raises(ServiceError, match="use redis or postgres"):
        sandbox.provide(("mongodb",))
    with pytest.raises(ServiceError, match="use redis or postgres"):
        sandbox.faults.network("mongodb")
    sandbox.close()


def test_another_process_goes_through_the_same_proxy() -> None:
    """What a sandbox tells of itself is the address of the proxy, so faults reach every process."""
    sandbox = Sandbox(own_servers=True)
    sandbox.provide(("redis",))
    remote = RemoteSandbox(sandbox.description())
    assert remote.redis_url == sandbox.redis_url
    assert f":{sandbox.faults.network('redis').port}/" in remote.redis_url
    sandbox.close()


def test_a_server_that_was_given_back_is_empty_and_used_again() -> None:
    """The next sandbox gets the same process, with nothing of the former in it."""
    pids = []
    for _ in range(2):
        sandbox = Sandbox(own_servers=True)
        with redis_client(sandbox.redis_url) as client:
            assert client.dbsize() == 0
            assert client.config_get("maxmemory") == {"maxmemory": "0"}
            client.set("key", "1")
            client.config_set("maxmemory", "100mb")
            pids.append(client.info("server")["process_id"])
        sandbox.close()
    assert pids[0] == pids[1]


def test_a_postgres_that_was_given_back_is_empty_and_as_it_was() -> None:
    """Tables and settings are gone."""
    for _ in range(2):
        sandbox = Sandbox(own_servers=True)
        with postgres(sandbox.postgres_dsn) as connection:
            connection.execute("CREATE TABLE fact (word text)")
            assert connection.execute("SHOW work_mem").fetchone() == ("4MB",)
            connection.execute("ALTER SYSTEM SET work_mem = '1MB'")
            connection.execute("ALTER DATABASE postgres SET work_mem = '2MB'")
        sandbox.close()


def test_a_server_with_something_foreign_is_ended() -> None:
    """One that holds a database which we did not make is not used again."""
    server = pool.acquire("postgres")
    assert isinstance(server, PostgresServer)
    with postgres(server.dsn) as connection:
        connection.execute("CREATE ROLE stranger")
    pool.release(server)
    assert not server.is_running
    with pytest.raises(ServiceError, match="release a server once"):
        pool.release(server)


def test_a_server_that_died_is_not_used_again() -> None:
    """Whoever lends next gets one that runs."""
    server = pool.acquire("redis")
    assert isinstance(server, RedisServer)
    server.kill()
    pool.release(server)
    fresh = pool.acquire("redis")
    assert fresh is not server
    pool.release(fresh)


def test_few_servers_are_kept() -> None:
    """Of many that come back at once most are ended."""
    servers = [pool.acquire("redis") for _ in range(4)]
    for server in servers:
        pool.release(server)
    assert sum(server.is_running for server in servers if isinstance(server, RedisServer)) == 2


def test_a_strange_persistence_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what can be set."""
    monkeypatch.setenv("GOLDFISH_REDIS_PERSISTENCE", "sometimes")
    with pytest.raises(ServiceError, match="'always' or 'none'"):
        pool.acquire("redis")


def test_threads_get_servers_of_their_own() -> None:
    """Lending and giving back at the same time never gives one server to two."""
    lent: list[object] = []
    both = threading.Barrier(3)

    def borrow() -> None:
        server = pool.acquire("redis")
        lent.append(server)
        both.wait()
        pool.release(server)

    threads = [threading.Thread(target=borrow) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(server) for server in lent}) == 3


def test_a_server_that_the_user_gave_is_used_behind_a_proxy(external_redis: RedisServer) -> None:
    """Network faults work, server faults are refused without a word of the password."""
    sandbox = Sandbox(own_servers=True)
    assert "s3cret" in sandbox.redis_url
    assert f":{external_redis.port}/" not in sandbox.redis_url
    with redis_client(sandbox.redis_url) as client:
        client.set("key", "1")
        refusal = sandbox.faults.network("redis").refuse()
        with pytest.raises(ConnectionRefusedError), raw(sandbox.redis_url):
            pass
        refusal.heal()
        assert client.get("key") == b"1"
    with pytest.raises(NotPossibleError, match="did not start this server") as caught:
        sandbox.faults.server("redis")
    assert "s3cret" not in str(caught.value)
    sandbox.close()
    with redis_client(external_redis.url) as client:
        assert client.info("keyspace") == {}
    with raw(external_redis.url, login=False) as connection:
        assert b"NOAUTH" in ask(connection, "PING")


@pytest.mark.parametrize(
    "url", ["rediss://127.0.0.1:6379", "unix:///tmp/redis.sock", "redis+sentinel://host/name"]
)
def test_a_server_that_no_proxy_can_lead_to_is_refused(url: str) -> None:
    """TLS and Unix sockets are named as such, with what to give instead."""
    with pytest.raises(NotPossibleError, match="redis://host:port"):
        parse_tcp_address(url)


def test_nothing_is_left_when_a_process_ends_without_closing() -> None:
    """The server and the directory of a sandbox that nobody closed are gone with the process."""
    pid, path = printed_by(LEFT_OPEN).split()
    assert reaper.start_mark(int(pid)) is None
    assert not Path(path).exists()


def test_closing_twice_is_harmless() -> None:
    """The second time there is nothing to do."""
    sandbox = Sandbox(own_servers=True)
    _ = sandbox.redis_url
    sandbox.close()
    sandbox.close()
    assert not sandbox.path.exists()

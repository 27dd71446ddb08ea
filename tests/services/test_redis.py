"""A Redis of our own starts, answers, dies, comes back, and gives out databases."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import redis

from goldfish.errors import ServiceError
from goldfish.services import RedisServer

START_AND_PRINT = """
from goldfish.services import RedisServer
with RedisServer() as server:
    print(server.pid, server.port)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    """One server for the tests that leave it running."""
    with RedisServer() as running:
        yield running


def connect(url: str) -> "redis.Redis":
    """A client that gives up after a moment and never tries twice."""
    return redis.Redis.from_url(url, socket_timeout=0.3, retry=None)


def test_a_started_server_answers_and_a_closed_one_is_gone() -> None:
    """Between start and close the server answers on its URL; afterwards nothing of it is left."""
    server = RedisServer()
    assert not server.is_running
    with server:
        with connect(server.url) as client:
            assert client.ping()
        assert server.is_running
        directory = server.directory
        assert directory.is_dir()
        assert "Ready to accept connections" in server.log_tail()
    assert not server.is_running
    assert not directory.exists()


def test_nothing_is_known_about_a_server_that_was_not_started() -> None:
    """Before start there is no URL, and the error says what to do."""
    with pytest.raises(ServiceError, match=r"start\(\)"):
        _ = RedisServer().url


def test_databases_are_empty_and_different(server: RedisServer) -> None:
    """Every call of database() returns another database, with nothing in it."""
    urls = [server.database() for _ in range(50)]
    assert len({*urls, server.url}) == 51
    with connect(urls[0]) as one, connect(urls[-1]) as other:
        one.set("fact", "blue")
        assert one.dbsize() == 1
        assert other.dbsize() == 0


def test_a_released_database_is_emptied_and_only_that_one(server: RedisServer) -> None:
    """Releasing a database empties it and leaves its neighbours alone."""
    released, kept = server.database(), server.database()
    with connect(released) as one, connect(kept) as other:
        one.set("fact", "blue")
        other.set("fact", "green")
        server.release(released)
        assert one.dbsize() == 0
        assert other.get("fact") == b"green"


@pytest.mark.parametrize(("persistence", "expected"), [("always", b"blue"), ("none", None)])
def test_a_kill_spares_only_what_is_persistent(persistence: str, expected: bytes | None) -> None:
    """After SIGKILL and restart, on the same port, only persistence="always" remembers."""
    with RedisServer(persistence=persistence) as server:  # type: ignore[arg-type]  # parametrized
        url, pid = server.url, server.pid
        with connect(url) as client:
            client.set("fact", "blue")
        server.kill()
        assert not server.is_running
        server.restart()
        assert server.url == url
        assert server.pid != pid
        with connect(url) as client:
            assert client.get("fact") == expected


def test_a_stopped_server_starts_again_with_its_data() -> None:
    """stop() keeps the directory, so start() finds the data."""
    with RedisServer(persistence="always") as server:
        with connect(server.url) as client:
            client.set("fact", "blue")
        server.stop()
        server.stop()
        with pytest.raises(ServiceError, match="not running"):
            server.pause()
        server.start()
        with connect(server.url) as client:
            assert client.get("fact") == b"blue"


def test_a_paused_server_is_silent_until_it_is_resumed() -> None:
    """While paused, a PING times out; after resume() it is answered."""
    with RedisServer() as server, connect(server.url) as client:
        client.ping()
        server.pause()
        assert server.is_running
        with pytest.raises(redis.TimeoutError):
            client.ping()
        server.resume()
        assert client.ping()


def test_a_paused_server_can_be_stopped() -> None:
    """stop() also ends a server that is paused."""
    with RedisServer() as server:
        server.pause()
        server.stop()
        assert not server.is_running


def test_settings_reach_the_server_and_so_does_a_password() -> None:
    """What is given as settings is what the server has, and the URL carries its password."""
    settings = {"maxmemory": "4mb", "requirepass": 'a "b" @c'}
    with RedisServer(settings=settings) as server, connect(server.url) as client:
        assert client.config_get("maxmemory")["maxmemory"] == str(4 * 1024 * 1024)


def test_a_bad_setting_is_a_service_error_with_the_log() -> None:
    """A server that refuses to start raises with its own words, and leaves no directory."""
    server = RedisServer(settings={"no-such-setting": "1"})
    with pytest.raises(ServiceError, match="no-such-setting"):
        server.start()
    with pytest.raises(ServiceError, match="not started"):
        _ = server.directory


def test_an_unknown_persistence_is_refused() -> None:
    """Only the two kinds of persistence that exist are taken."""
    with pytest.raises(ValueError, match="sometimes"):
        RedisServer(persistence="sometimes")  # type: ignore[arg-type]  # the point of the test


def test_a_cluster_of_one_node_refuses_keys_of_different_slots() -> None:
    """With cluster=True a cluster client works, and a command over two slots is refused."""
    with (
        RedisServer(cluster=True) as server,
        redis.RedisCluster.from_url(server.url) as cluster,
        connect(server.url) as client,
    ):
        assert cluster.set("{session}a", "1")
        with pytest.raises(redis.ResponseError, match="slot"):
            client.mset({"a": "1", "b": "2"})
        with pytest.raises(ServiceError, match="one database"):
            server.database()


def test_eight_processes_start_a_server_at_once() -> None:
    """Eight processes that start a Redis at the same time get eight servers."""
    command = [sys.executable, "-c", START_AND_PRINT]
    starters = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(8)]
    printed = [starter.communicate(timeout=60)[0].split() for starter in starters]
    assert [starter.returncode for starter in starters] == [0] * 8
    assert len({pid for pid, _ in printed}) == 8

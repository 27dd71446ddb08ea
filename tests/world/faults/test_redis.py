"""Each fault of a Redis does what it says to a real one, and is gone once it is healed."""

import threading

import pytest
import redis

from goldfish.world.faults import RedisFaults
from goldfish.world.faults.clock import wait_until
from goldfish.world.sandbox import Sandbox
from tests.world.faults.clients import ask, raw, redis_client


@pytest.fixture
def faults(sandbox: Sandbox) -> RedisFaults:
    """The faults of the sandbox's Redis."""
    return sandbox.faults.server("redis")


def assert_works(url: str, key: str = "key", expected: bytes | None = b"before") -> None:
    """What was written is there, and more can be written."""
    with redis_client(url) as client:
        assert client.get(key) == expected
        assert client.set(key, "after")


@pytest.fixture
def url(sandbox: Sandbox) -> str:
    """The address of a Redis that holds one key."""
    with redis_client(sandbox.redis_url) as client:
        client.set("key", "before")
    return sandbox.redis_url


def test_out_of_memory_refuses_writes_and_serves_reads(url: str, faults: RedisFaults) -> None:
    """A write raises Redis's own error; afterwards it works."""
    with faults.out_of_memory(), redis_client(url) as client:
        with pytest.raises(redis.exceptions.OutOfMemoryError):
            client.set("key", "lost")
        assert client.get("key") == b"before"
    assert_works(url)


def test_a_read_only_replica_refuses_writes_and_serves_reads(url: str, faults: RedisFaults) -> None:
    """The server really is a replica, and a primary again afterwards with all its data."""
    with faults.read_only(), redis_client(url) as client:
        assert client.info("replication")["role"] == "slave"
        with pytest.raises(redis.exceptions.ReadOnlyError):
            client.set("key", "lost")
        assert client.get("key") == b"before"
    assert_works(url)


def test_a_pause_of_writes_lets_reads_pass(url: str, faults: RedisFaults) -> None:
    """A write waits for the end of the pause, which healing brings at once."""
    with redis_client(url, timeout=0.1) as client, faults.client_pause(60):
        assert client.get("key") == b"before"
        with pytest.raises(redis.exceptions.TimeoutError):
            client.set("other", "1")
    assert_works(url)


def test_a_pause_of_everything_ends_by_itself(url: str, faults: RedisFaults) -> None:
    """Reads wait too, and healing waits for the end of so short a pause."""
    with redis_client(url, timeout=0.02) as client:
        pause = faults.client_pause(0.2, reads_too=True)
        with pytest.raises(redis.exceptions.TimeoutError):
            client.get("key")
        pause.heal()
    assert_works(url)


def test_exhausted_connections_drop_all_and_let_nobody_in(url: str, faults: RedisFaults) -> None:
    """Old connections end, new ones are told that there are too many; then all is as before."""
    with raw(url) as old:
        assert ask(old, "PING") == b"+PONG\r\n"
        with faults.exhausted_connections():
            assert old.recv(1) == b""
            with raw(url, login=False) as new:
                assert b"max number of clients" in new.recv(100)
    assert_works(url)


def test_a_killed_server_refuses_and_comes_back_with_its_data(
    url: str, faults: RedisFaults
) -> None:
    """While it is dead connections are refused, and afterwards nothing is missing."""
    with faults.kill(), pytest.raises(ConnectionRefusedError), raw(url):
        pass
    assert_works(url)


def test_without_persistence_a_killed_server_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """GOLDFISH_REDIS_PERSISTENCE=none gives a Redis as most people run it."""
    monkeypatch.setenv("GOLDFISH_REDIS_PERSISTENCE", "none")
    sandbox = Sandbox(own_servers=True)
    with redis_client(sandbox.redis_url) as client:
        client.set("key", "before")
        sandbox.faults.server("redis").kill().heal()
    assert_works(sandbox.redis_url, expected=None)
    sandbox.close()


def test_a_restarted_server_has_its_data(url: str, faults: RedisFaults) -> None:
    """Existing connections end, and the server is back when the call returns."""
    with raw(url) as old:
        assert faults.restart().is_healed
        assert old.recv(1) == b""
    assert_works(url)


def test_a_paused_server_accepts_and_is_silent(url: str, faults: RedisFaults) -> None:
    """Nothing answers until it goes on, and then everything does."""
    with raw(url) as connection:
        with faults.pause():
            connection.sendall(b"GET key\r\n")
            connection.settimeout(0.05)
            with pytest.raises(TimeoutError):
                connection.recv(1)
        connection.settimeout(5)
        assert connection.recv(100) == b"$6\r\nbefore\r\n"


def test_a_failover_leads_to_an_empty_server_and_back(url: str, faults: RedisFaults) -> None:
    """Under the same address there is nothing; healing brings the old data and no new ones."""
    with faults.failover_to_empty():
        assert_works(url, expected=None)
    assert_works(url)


def test_forgotten_scripts_have_to_be_loaded_again(url: str, faults: RedisFaults) -> None:
    """A script is known by its hash before, and not after."""
    with redis_client(url) as client:
        digest = client.script_load("return 7")
        assert client.evalsha(digest, 0) == 7
        faults.forget_scripts()
        with pytest.raises(redis.exceptions.NoScriptError):
            client.evalsha(digest, 0)


def test_what_is_not_healed_is_healed_at_the_end() -> None:
    """Closing a sandbox heals a paused server without memory, which the next one gets in order."""
    first = Sandbox(own_servers=True)
    faults = first.faults.server("redis")
    with redis_client(first.redis_url) as client:
        client.set("key", "before")
    faults.out_of_memory()
    faults.pause()
    assert [fault.what for fault in first.faults.unhealed] == [
        "Redis is out of memory",
        "the server is paused",
    ]
    first.close()
    second = Sandbox(own_servers=True)
    assert_works(second.redis_url, expected=None)
    second.close()


def test_faults_can_be_healed_by_another_thread(url: str, faults: RedisFaults) -> None:
    """A call that waits goes on as soon as somebody heals."""
    fault = faults.pause()
    seen: list[object] = []
    with redis_client(url) as client:
        reader = threading.Thread(target=lambda: seen.append(client.get("key")))
        reader.start()
        fault.heal()
        reader.join()
    assert seen == [b"before"]
    wait_until(lambda: fault.is_healed)

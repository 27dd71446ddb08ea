"""The proxy passes everything on, and does to a real Redis's connections what each fault says."""

import asyncio
import os
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import redis

from goldfish.errors import ServiceError
from goldfish.world.faults import Proxy
from goldfish.world.faults.clock import wait_until
from goldfish.world.sandbox import Sandbox
from tests.world.faults.clients import ask, raw, redis_client


@pytest.fixture
def proxy(sandbox: Sandbox) -> Proxy:
    """The proxy before the sandbox's Redis."""
    return sandbox.faults.network("redis")


@pytest.fixture
def line(sandbox: Sandbox) -> Iterator[socket.socket]:
    """A bare connection through the proxy that has worked once."""
    with raw(sandbox.redis_url) as connection:
        assert ask(connection, "PING") == b"+PONG\r\n"
        yield connection


def assert_works(sandbox: Sandbox) -> None:
    """A new connection gets its answer."""
    with raw(sandbox.redis_url) as connection:
        assert ask(connection, "PING") == b"+PONG\r\n"


def test_everything_passes_unchanged_and_is_counted(sandbox: Sandbox, proxy: Proxy) -> None:
    """Megabytes go both ways as they are, and the counters grow."""
    value = os.urandom(3_000_000)
    with redis_client(sandbox.redis_url) as client:
        client.set("key", value)
        assert client.get("key") == value
    assert proxy.connections == 1
    assert proxy.requests == proxy.arrivals > 3_000_000 // (1 << 16)
    assert proxy.replies > 1
    assert proxy.cuts == 0
    wait_until(lambda: proxy.open_connections == 0)


def test_a_refusing_proxy_does_not_listen(
    sandbox: Sandbox, proxy: Proxy, line: socket.socket
) -> None:
    """Existing connections end, new ones are refused by the system, and healing listens again."""
    with proxy.refuse():
        assert line.recv(1) == b""
        with pytest.raises(ConnectionRefusedError), raw(sandbox.redis_url):
            pass
    assert_works(sandbox)


def test_two_refusals_end_with_the_last(sandbox: Sandbox, proxy: Proxy) -> None:
    """Healing one of two refusals opens nothing."""
    first, second = proxy.refuse(), proxy.refuse()
    first.heal()
    with pytest.raises(ConnectionRefusedError), raw(sandbox.redis_url):
        pass
    second.heal()
    second.heal()
    assert_works(sandbox)


def test_a_resetting_proxy_resets_old_and_new_connections(
    sandbox: Sandbox, proxy: Proxy, line: socket.socket
) -> None:
    """A reset is what a client sees, not an end."""
    with proxy.reset():
        with pytest.raises(ConnectionResetError):
            line.recv(1)
        with pytest.raises(ConnectionError), raw(sandbox.redis_url) as connection:
            connection.recv(1)
    assert_works(sandbox)


def test_what_hangs_is_delivered_afterwards(
    sandbox: Sandbox, proxy: Proxy, line: socket.socket
) -> None:
    """While it hangs nothing passes, on old and new connections; healing delivers everything."""
    with raw(sandbox.redis_url) as late:
        passed = proxy.requests
        with proxy.hang():
            arrived = proxy.arrivals
            line.sendall(b"SET key held\r\n")
            late.sendall(b"PING\r\n")
            wait_until(lambda: proxy.arrivals >= arrived + 2)
            line.settimeout(0.05)
            with pytest.raises(TimeoutError):
                line.recv(1)
            assert proxy.requests == passed
            line.settimeout(5)
        assert line.recv(100) == b"+OK\r\n"
        assert late.recv(100) == b"+PONG\r\n"
        assert ask(line, "GET key") == b"$4\r\nheld\r\n"


def test_a_connection_that_is_made_while_it_hangs_works_afterwards(
    sandbox: Sandbox, proxy: Proxy
) -> None:
    """The system accepts it, and the server learns of it when the fault is healed."""
    with redis_client(sandbox.redis_url) as client:
        fault = proxy.hang()
        healer = threading.Timer(0.05, fault.heal)
        healer.start()
        assert client.ping()
        assert fault.is_healed
        healer.join()


def test_a_delay_holds_back_requests_and_replies(proxy: Proxy, line: socket.socket) -> None:
    """An answer takes two delays, and comes at once again afterwards."""
    with proxy.delay(0.05):
        began = time.monotonic()
        assert ask(line, "PING") == b"+PONG\r\n"
        assert time.monotonic() - began >= 0.1
    with proxy.delay(60) as fault:
        line.sendall(b"PING\r\n")
        fault.heal()
        assert line.recv(100) == b"+PONG\r\n"


def test_replies_trickle_in_pieces(proxy: Proxy, line: socket.socket) -> None:
    """The client gets a few bytes at a time, and in the end all of them."""
    assert ask(line, "SET key 0123456789") == b"+OK\r\n"
    with proxy.trickle(bytes_at_a_time=3, pause=0.01):
        line.sendall(b"GET key\r\n")
        pieces = [line.recv(100)]
        while len(b"".join(pieces)) < 17:
            pieces.append(line.recv(100))
    assert b"".join(pieces) == b"$10\r\n0123456789\r\n"
    assert len(pieces) > 1
    assert len(pieces[0]) == 3
    with pytest.raises(ValueError, match="1 or more"):
        proxy.trickle(bytes_at_a_time=0)


def test_a_cut_before_the_reply_hides_what_has_happened(
    sandbox: Sandbox, proxy: Proxy, line: socket.socket
) -> None:
    """The server did it, the client sees a reset, and the next reply passes."""
    with proxy.cut_before_reply(), pytest.raises(ConnectionResetError):
        ask(line, "SET key 1")
    assert proxy.cuts == 1
    with raw(sandbox.redis_url) as again:
        assert ask(again, "GET key") == b"$1\r\n1\r\n"


def test_cuts_are_made_as_often_as_asked(sandbox: Sandbox, proxy: Proxy) -> None:
    """Two cuts hit two replies, wherever they are, and the third passes while the fault lasts."""
    with proxy.cut_before_reply(times=2):
        for _ in range(2):
            with pytest.raises(ConnectionResetError), raw(sandbox.redis_url) as connection:
                ask(connection, "PING")
        assert_works(sandbox)
    assert proxy.cuts == 2


def test_a_cut_waits_for_the_reply_that_is_meant(proxy: Proxy, line: socket.socket) -> None:
    """Replies can be skipped by number, and by what the request contains."""
    with proxy.cut_before_reply(skip=1, asking=b"SET"):
        assert ask(line, "PING") == b"+PONG\r\n"
        assert ask(line, "SET key 1") == b"+OK\r\n"
        assert ask(line, "PING") == b"+PONG\r\n"
        with pytest.raises(ConnectionResetError):
            ask(line, "SET key 2")


def test_a_cut_that_was_healed_is_not_made(proxy: Proxy, line: socket.socket) -> None:
    """Leaving the block before any reply came leaves the connection alone."""
    with proxy.cut_before_reply():
        pass
    assert ask(line, "PING") == b"+PONG\r\n"
    assert proxy.cuts == 0


def test_a_cut_in_the_reply_lets_a_part_pass(proxy: Proxy, line: socket.socket) -> None:
    """Exactly so many bytes arrive before the reset; a reply that is shorter arrives whole."""
    assert ask(line, "SET key 0123456789") == b"+OK\r\n"
    with proxy.cut_in_reply(after_bytes=8):
        assert ask(line, "PING") == b"+PONG\r\n"
        assert ask(line, "GET key") == b"$10\r\n012"
        with pytest.raises(ConnectionResetError):
            line.recv(1)


def test_half_open_connections_stay_silent_for_ever(
    sandbox: Sandbox, proxy: Proxy, line: socket.socket
) -> None:
    """The old connection answers nothing, also after healing; a new one works at once."""
    with proxy.half_open():
        assert_works(sandbox)
        line.sendall(b"PING\r\n")
    line.settimeout(0.05)
    with pytest.raises(TimeoutError):
        line.recv(1)


def test_a_cut_ends_what_is_there_and_nothing_else(
    sandbox: Sandbox, proxy: Proxy, line: socket.socket
) -> None:
    """The client sees an orderly end, and can connect again."""
    proxy.cut()
    assert line.recv(1) == b""
    assert_works(sandbox)


def test_the_end_of_a_server_is_passed_on(sandbox: Sandbox, line: socket.socket) -> None:
    """When the server closes a connection with a last word, the client gets both."""
    assert ask(line, "QUIT") == b"+OK\r\n"
    assert line.recv(1) == b""


def test_a_server_that_is_not_there_looks_like_a_reset(sandbox: Sandbox) -> None:
    """A proxy that leads nowhere accepts and resets, and is not left hanging."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with Proxy("127.0.0.1", nobody.getsockname()[1]) as proxy:
            url = f"redis://127.0.0.1:{proxy.port}"
            with pytest.raises(ConnectionError), raw(url) as connection:
                connection.recv(1)


async def test_a_request_can_be_awaited_without_sleeping(sandbox: Sandbox, proxy: Proxy) -> None:
    """An async client's call is known to be under way before the fault is healed."""
    client = redis.asyncio.Redis.from_url(sandbox.redis_url)
    await client.ping()
    seen = proxy.requests
    with proxy.delay(0.01):
        pending = asyncio.ensure_future(client.set("key", "1"))
        assert await proxy.request_passed(beyond=seen) > seen
    assert await pending
    await client.aclose()
    assert proxy.wait_for_request(beyond=seen) > seen
    with pytest.raises(TimeoutError, match="a request has passed"):
        proxy.wait_for_request(timeout=0.01)


def test_a_closed_proxy_leaves_nothing_behind(sandbox: Sandbox) -> None:
    """Its thread and its sockets are gone, and a call says so."""
    url, proxy = sandbox.redis_url, sandbox.faults.network("redis")
    before = threading.active_count()
    with raw(url) as silent:
        proxy.half_open()
        with raw(url) as connection:
            assert ask(connection, "PING") == b"+PONG\r\n"
            proxy.close()
            proxy.close()
            assert silent.recv(1) == connection.recv(1) == b""
    assert threading.active_count() == before - 1
    with pytest.raises(ConnectionRefusedError), raw(url):
        pass
    with pytest.raises(ServiceError, match="closed"):
        proxy.hang()


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # it is what we test
def test_a_forked_child_does_not_hold_the_door_open(sandbox: Sandbox, proxy: Proxy) -> None:
    """With a forked child alive, a refusal still refuses and a cut still cuts."""
    with raw(sandbox.redis_url) as line:
        assert ask(line, "PING") == b"+PONG\r\n"
        ready, gone = os.pipe(), os.pipe()
        child = os.fork()
        if not child:
            os.write(ready[1], b"!")
            os.read(gone[0], 1)
            os._exit(0)
        os.read(ready[0], 1)
        try:
            with proxy.refuse():
                assert line.recv(1) == b""
                with pytest.raises(ConnectionRefusedError), raw(sandbox.redis_url):
                    pass
            assert_works(sandbox)
        finally:
            os.write(gone[1], b"!")
            os.waitpid(child, 0)
            for end in (*ready, *gone):
                os.close(end)

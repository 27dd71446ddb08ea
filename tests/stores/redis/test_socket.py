"""What the socket that is taken over from redis-py promises, and the store on top of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import hiredis
import pytest
import redis
import redis.asyncio

import goldfish
from goldfish import ChatMessage, RedisMemoryStore
from goldfish.services import RedisServer, shared_redis
from goldfish.stores.redis.socket import RedisSocket, take_over
from goldfish.world.faults.network import Proxy
from tests.stores.proxies import through
from tests.stores.tls import make_certificate, needs_openssl, tls_in_front_of

Answer = Callable[[list[bytes]], bytes]


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


async def contents(store: RedisMemoryStore) -> list[object]:
    return [message.content for message in await store.get_history("s")]


@asynccontextmanager
async def taken_over(url: str) -> AsyncIterator[RedisSocket]:
    async with redis.asyncio.Redis.from_url(url) as client:
        socket = take_over(await client.connection_pool.get_connection())
        assert socket is not None
        yield socket


async def exchange(socket: RedisSocket, *commands: tuple[object, ...], within: float = 10) -> Any:
    """The answers of a server that has so many seconds for them."""
    return await socket.exchange(commands, asyncio.get_running_loop().time() + within)


@asynccontextmanager
async def stranger(answer: Answer) -> AsyncIterator[str]:
    """The URL of a server that says what it likes, once redis-py has connected."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        commands = hiredis.Reader(notEnoughData=None)  # a command has the form of an answer
        while data := await reader.read(1000):
            commands.feed(data)
            while command := commands.gets():
                hello = command[0] in (b"CLIENT", b"HELLO")
                writer.write(b"+OK\r\n" if hello else answer(command))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1")
    async with server:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}?protocol=2"


async def test_answers_come_in_the_order_of_the_commands() -> None:
    """Errors are answers too, and one does not disturb the next."""
    commands = [("PING",), ("NONSENSE",), ("SET", "k", b"v"), ("GET", "k")]
    async with taken_over(shared_redis().database()) as socket:
        answers = await exchange(socket, *commands)
        assert answers[0] == b"PONG"
        assert isinstance(answers[1], redis.ResponseError)
        assert answers[2:] == [b"OK", b"v"]
        assert await exchange(socket, ("PING",)) == [b"PONG"]


async def test_long_answers_and_commands_arrive_whole() -> None:
    """Nothing depends on how the network cuts the bytes up."""
    long = bytes(range(256)) * 20_000
    with RedisServer() as server, Proxy("127.0.0.1", server.port) as proxy:
        async with taken_over(through(proxy, server)) as socket:
            assert await exchange(socket, ("SET", "long", long)) == [b"OK"]
            assert await exchange(socket, ("GET", "long"), ("PING",)) == [long, b"PONG"]
            await exchange(socket, ("RPUSH", "list", *map(str, range(100))))
            with proxy.trickle(3, pause=0):
                (numbers,) = await exchange(socket, ("LRANGE", "list", 0, -1))
            assert numbers == [b"%d" % n for n in range(100)]


async def test_a_connection_of_an_unusual_kind_is_left_to_redis_py() -> None:
    """A store whose URL asks for decoded answers works as before, also after it was cut off."""
    with RedisServer() as server:
        url = f"{server.url}?decode_responses=1"
        async with redis.asyncio.Redis.from_url(url) as client:
            assert take_over(await client.connection_pool.get_connection()) is None
        async with RedisMemoryStore(url) as store:
            await store.add_messages("s", said("a"))
            await cut_off(server)
            await store.add_messages("s", said("b"))
            assert await contents(store) == ["a", "b"]


async def cut_off(server: RedisServer) -> None:
    """End all connections, and let the event loop know."""
    hang_up(server)
    await asyncio.sleep(0.05)


def hang_up(server: RedisServer) -> None:
    with redis.Redis.from_url(server.url) as other:
        other.client_kill_filter(_type="normal", skipme=True)


async def test_a_connection_that_the_server_closed_is_noticed_before_the_next_command() -> None:
    """No call fails because of it, not even one right after code that blocked the event loop."""
    with RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            for number in range(5):
                await store.add_messages("s", said(str(number)))
                assert len(await contents(store)) == number + 1
                hang_up(server)
            assert await contents(store) == list("01234")


@pytest.mark.parametrize(
    "answer",
    [b"+yes\r\n+and more\r\n", b"HTTP/1.1 400 Bad Request\r\n", b"$1000\r\ncut"],
    ids=["more than asked", "another protocol", "half an answer"],
)
async def test_a_server_that_talks_nonsense_is_an_error_or_ends_the_connection(
    answer: bytes,
) -> None:
    """What is left over of one answer is never taken for the next."""
    async with stranger(lambda command: answer) as url, taken_over(url) as socket:
        try:
            assert await exchange(socket, ("GET", "a"), within=0.2) == [b"yes"]
        except (TimeoutError, hiredis.ProtocolError):
            socket.abort()
        await asyncio.sleep(0.02)
        assert not await socket.is_open()


async def test_notices_are_not_answers() -> None:
    """What a server pushes by itself is passed over."""
    pushed = b">2\r\n+invalidate\r\n+k\r\n"
    answer = pushed + b"+yes\r\n" + pushed
    async with stranger(lambda command: answer) as url, taken_over(url) as socket:
        assert await exchange(socket, ("GET", "a"), ("GET", "b")) == [b"yes", b"yes"]
        assert await exchange(socket, ("GET", "a")) == [b"yes"]


async def test_each_exchange_has_the_whole_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that earlier ones or idleness took does not count, and silence ends in an error."""
    loop = asyncio.get_running_loop()
    real_time, passed = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: real_time() + passed)
    arrived, never = asyncio.Event(), asyncio.Event()

    def answer(command: list[bytes]) -> bytes:
        arrived.set()
        return b"+yes\r\n" if command[0] == b"GET" else b""

    async with stranger(answer) as url, taken_over(url) as socket:
        assert await exchange(socket, ("GET", "a"), within=30) == [b"yes"]
        passed += 25
        arrived.clear()
        silent = asyncio.create_task(exchange(socket, ("SILENCE",), within=30))
        await arrived.wait()
        passed += 25  # 50 s after the first command, 25 s after this one
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(never.wait(), 0.05)
        assert not silent.done()
        passed += 25
        with pytest.raises(TimeoutError):
            await silent


async def test_a_cut_in_mid_exchange_is_an_error_and_the_next_call_works() -> None:
    """The caller learns that the outcome is unknown, and nothing was sent twice."""
    with RedisServer() as server, Proxy("127.0.0.1", server.port) as proxy:
        async with RedisMemoryStore(through(proxy, server)) as store:
            await store.add_messages("s", said("a"))
            before = proxy.requests
            with (
                proxy.cut_before_reply(),
                pytest.raises(goldfish.MemoryStoreBackendError, match="closed before the answer"),
            ):
                await store.add_messages("s", said("b"))
            assert proxy.requests == before + 1
            await store.add_messages("s", said("c"))
            assert await contents(store) == ["a", "b", "c"]


async def test_users_databases_and_sockets_of_the_url_hold_for_the_taken_over_connection(
    tmp_path: Path,
) -> None:
    """Whatever redis-py does to connect was done before, also after a reconnection."""
    path = tmp_path / "r"
    with RedisServer(settings={"unixsocket": str(path)}) as server:
        allowed = {"passwords": ["+pw"], "keys": ["*"], "commands": ["+@all"]}
        with redis.Redis.from_url(server.url) as admin:
            admin.acl_setuser("bob", enabled=True, **allowed)
        for url in (
            f"redis://bob:pw@127.0.0.1:{server.port}/3?client_name=us",
            f"unix://bob:pw@{path}?db=4&client_name=us",
        ):
            async with RedisMemoryStore(url) as store:
                for text in "ab":
                    await store.add_messages("s", said(text))
                    assert (await contents(store))[-1] == text
                    with redis.Redis.from_url(server.url) as admin:
                        clients = [c for c in admin.client_list() if c["name"] == "us"]
                    assert {c["user"] for c in clients} == {"bob"}
                    assert {c["db"] for c in clients} == {"3" if "/3" in url else "4"}
                    hang_up(server)


@needs_openssl
async def test_tls_works_like_anything_else(tmp_path: Path) -> None:
    """Long histories, and connections that end."""
    certificate = await make_certificate(tmp_path)
    with RedisServer() as server:
        async with tls_in_front_of(server.port, certificate) as port:
            url = f"rediss://:{server.password}@127.0.0.1:{port}/2?ssl_ca_certs={certificate}"
            async with taken_over(url) as socket:
                assert await exchange(socket, ("PING",)) == [b"PONG"]
            async with RedisMemoryStore(url) as store:
                long = said(*("x" * 1000 for _ in range(500)))
                await store.add_messages("s", long)
                assert await store.get_history("s") == long
                await cut_off(server)
                await store.add_messages("s", said("after"))
                assert (await contents(store))[-1] == "after"

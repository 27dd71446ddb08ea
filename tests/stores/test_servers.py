"""What the stores over a server promise when the server goes away and comes back."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

import goldfish
from goldfish.services import PostgresServer, RedisServer
from goldfish.stores.base import BaseStore

Server = RedisServer | PostgresServer


@dataclass
class Served:
    """A server of the test's own, and how to open a store on it."""

    server: Server
    open: Callable[[], BaseStore]


@contextmanager
def redis_served() -> Iterator[Served]:
    with RedisServer(persistence="always") as server:
        yield Served(server, lambda: goldfish.RedisMemoryStore(server.url, timeout=1))


@contextmanager
def postgres_served() -> Iterator[Served]:
    with PostgresServer() as server:
        yield Served(server, lambda: goldfish.PostgresMemoryStore(server.dsn, timeout=1))


@pytest.fixture(params=[redis_served, postgres_served], ids=["redis", "postgres"])
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    with request.param() as served:
        yield served


def message(number: int) -> goldfish.ChatMessage:
    return goldfish.ChatMessage(role="user", content=str(number), id=str(number))


async def add_until_acknowledged(store: BaseStore, number: int) -> int:
    """Retry as an application would; how often the store said that it failed."""
    failures = 0
    while True:
        try:
            await store.add_messages("s", [message(number)])
        except goldfish.MemoryStoreBackendError:
            failures += 1
            await asyncio.sleep(0.02)
        else:
            return failures


async def torment(server: Server, done: asyncio.Event) -> None:
    """Kill, stop, pause and restart the server while the others write."""
    for verb in (server.kill, server.stop, server.pause, server.kill):
        await asyncio.sleep(0.3)
        await asyncio.to_thread(verb)
        await asyncio.sleep(0.2)
        await asyncio.to_thread(server.resume if verb == server.pause else server.start)
    await asyncio.sleep(0.3)
    done.set()


async def test_nothing_is_lost_or_doubled_while_the_server_dies_and_returns(
    served: Served,
) -> None:
    """Retries with the same id make every message stored once, in order, through four outages."""
    done = asyncio.Event()
    async with served.open() as store:
        await store.add_messages("s", [message(0)])
        outages = asyncio.create_task(torment(served.server, done))
        number = failures = 0
        while not done.is_set():
            number += 1
            failures += await add_until_acknowledged(store, number)
        await outages
        found = [m.content for m in await store.get_history("s")]
    assert failures > 0
    assert found == [str(n) for n in range(number + 1)]


async def test_a_server_that_is_down_is_an_error_and_never_an_empty_memory(
    served: Served,
) -> None:
    """Every call raises the backend error with its cause; the store works again by itself."""
    async with served.open() as store:
        await store.add_messages("s", [message(0)])
        served.server.kill()
        calls: list[Callable[[], Awaitable[object]]] = [
            lambda: store.get_history("s"),
            lambda: store.get_history("s", last=1),
            lambda: store.add_messages("s", [message(1)]),
            lambda: store.trim("s", keep_last=0),
            lambda: store.trim("s", keep_last=0, keep_pairs=True),
            lambda: store.clear("s"),
            lambda: store.clear_all(),
            lambda: store.list_sessions(),
            lambda: store.get_ttl("s"),
            lambda: store.set_ttl("s", 5),
            lambda: store.delete_messages("s", ["0"]),
            lambda: store.save_snapshot("s"),
            lambda: store.rollback_to_snapshot("s", "x"),
            lambda: store.list_snapshots("s"),
            lambda: store.delete_snapshot("s", "x"),
            lambda: store.fork("s", "x", "t"),
        ]
        for call in calls:
            with pytest.raises(goldfish.MemoryStoreBackendError, match="check that") as caught:
                await call()
            assert caught.value.__cause__ is not None
        served.server.start()
        assert [m.content for m in await store.get_history("s")] == ["0"]
        await store.add_messages("s", [message(1)])


async def test_a_paused_server_is_a_time_out_and_not_a_hang(served: Served) -> None:
    """The call fails after the store's own time limit; after the pause all is well."""
    async with served.open() as store:
        await store.add_messages("s", [message(0)])
        served.server.pause()
        try:
            with pytest.raises(goldfish.MemoryStoreBackendError):
                await asyncio.wait_for(store.get_history("s"), timeout=20)
        finally:
            served.server.resume()
        assert [m.content for m in await store.get_history("s")] == ["0"]


async def test_a_call_cancelled_during_an_outage_leaves_the_store_usable(served: Served) -> None:
    """No connection is left in a state that gives one call the answer of another."""
    async with served.open() as store:
        await store.add_messages("s", [message(0)])
        served.server.pause()
        calls = [asyncio.create_task(store.get_history("s")) for _ in range(5)]
        await asyncio.sleep(0.1)
        for call in calls:
            call.cancel()
        served.server.resume()
        await asyncio.gather(*calls, return_exceptions=True)
        for number in range(1, 20):
            await store.add_messages("s", [message(number)])
            assert [m.content for m in await store.get_history("s", last=1)] == [str(number)]


async def test_a_server_that_was_never_there_is_named_in_the_error() -> None:
    """The address is in the message, the password is not."""
    stores: list[BaseStore] = [
        goldfish.RedisMemoryStore("redis://bob:hunter2@127.0.0.1:1/0", timeout=2),
        goldfish.PostgresMemoryStore("postgresql://bob:hunter2@127.0.0.1:1/db", timeout=2),
    ]
    for store in stores:
        with pytest.raises(goldfish.MemoryStoreBackendError, match=r"127\.0\.0\.1") as caught:
            await store.get_history("s")
        assert "hunter2" not in str(caught.value)
        await store.aclose()


async def test_wrong_credentials_are_refused_without_showing_them() -> None:
    """The server's refusal is passed on, masked."""
    with RedisServer(settings={"requirepass": "right"}) as server:
        url = server.url.replace("redis://", "redis://:hunter2@")
        async with goldfish.RedisMemoryStore(url, timeout=2) as store:
            with pytest.raises(goldfish.MemoryStoreBackendError) as caught:
                await store.add_messages("s", [message(0)])
        assert "hunter2" not in str(caught.value)

"""What becomes of Redis writes whose callers have given up: nothing, not even later."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
import redis
import redis.asyncio

from goldfish import ChatMessage, MemoryStoreBackendError, RedisMemoryStore
from goldfish.services import RedisServer
from goldfish.stores.redis import clock as redis_clock
from goldfish.world.faults.network import Proxy
from tests.stores.proxies import through


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text, id=text) for text in texts]


async def contents(store: RedisMemoryStore, session: str) -> list[object]:
    return [message.content for message in await store.get_history(session)]


@asynccontextmanager
async def paused(server: RedisServer) -> AsyncIterator[None]:
    server.pause()
    try:
        yield
    finally:
        server.resume()


async def outcomes(calls: list[Coroutine[Any, Any, None]]) -> list[BaseException | None]:
    return await asyncio.gather(*calls, return_exceptions=True)


async def test_nothing_of_hundreds_of_writes_that_timed_out_takes_effect_afterwards() -> None:
    """Neither what waited in line nor what was under way: not when the server is back either."""
    with RedisServer() as server:
        async with (
            RedisMemoryStore(server.url, timeout=0.4) as store,
            RedisMemoryStore(server.url) as other,
        ):
            await store.add_messages("kept", said("before"))
            await other.add_messages("kept", said("also before"))
            async with paused(server):
                calls = [store.add_messages(f"s{n}", said(str(n))) for n in range(400)]
                calls[200:200] = [store.clear("kept"), store.clear("kept", snapshots=True)]
                raised = await outcomes(calls)
            assert all(isinstance(each, MemoryStoreBackendError) for each in raised)
            await other.add_messages("kept", said("since"))
            await store.add_messages("kept", said("after"))  # behind all that waited in the line
            assert await contents(other, "kept") == ["before", "also before", "since", "after"]
            assert await other.list_sessions() == ["kept"]


@pytest.mark.parametrize("confirmed", [False, True], ids=["plain", "confirmed"])
async def test_a_write_in_the_server_s_socket_does_nothing_once_its_caller_gave_up(
    confirmed: bool,
) -> None:
    """The server reads it when it goes on, sees that its time is over, and leaves all as it is."""
    with RedisServer(persistence="always") as server:
        async with (
            RedisMemoryStore(server.url, timeout=0.3, wait_aof=confirmed) as store,
            RedisMemoryStore(server.url) as other,
        ):
            writes: list[Callable[[str, int], Awaitable[None]]] = [
                lambda session, value: store.clear(session),
                lambda session, value: store.clear(session, snapshots=True),
                lambda session, value: store.set_state(session, {"a": value}, user_id="u"),
            ]
            await store.add_messages("s", said("a"))
            for write in writes:
                await write("another", 1)  # now the server knows the script
                async with paused(server):
                    with pytest.raises(MemoryStoreBackendError, match="no answer within"):
                        await write("s", 2)
            assert await contents(other, "s") == ["a"]
            assert await other.get_state("s", user_id="u") == {"a": 1}


async def test_a_write_that_was_held_up_on_the_way_does_nothing() -> None:
    """What a proxy delivers after the caller gave up is too late."""
    with RedisServer() as server, Proxy("127.0.0.1", server.port) as proxy:
        async with RedisMemoryStore(through(proxy, server), timeout=0.3) as store:
            await store.add_messages("s", said("a"))
            with proxy.hang(), pytest.raises(MemoryStoreBackendError):
                await store.add_messages("s", said("b"))
            await store.add_messages("s", said("c"))
            assert await contents(store, "s") == ["a", "c"]


async def cancel_writes_of(store: RedisMemoryStore, server: RedisServer) -> None:
    """Start a hundred writes while the server stands still, and cancel them."""
    async with paused(server):
        calls = [asyncio.create_task(store.add_messages(str(n), said("x"))) for n in range(100)]
        await asyncio.sleep(0.05)
        for call in calls:
            call.cancel()
        ended = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in ended)


async def test_cancelled_writes_that_waited_are_never_sent() -> None:
    """Only the one under way may still happen; a hundred others do not."""
    with RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            await store.add_messages("first", said("x"))
            await cancel_writes_of(store, server)
            await store.add_messages("last", said("x"))
            assert set(await store.list_sessions()) <= {"first", "last", "0"}


async def test_cancelled_writes_through_a_given_client_are_never_sent() -> None:
    """The line before a client of the caller's drops them as well."""
    with RedisServer() as server:
        async with redis.asyncio.Redis.from_url(server.url) as client:
            store = RedisMemoryStore(redis_client=client)
            await store.add_messages("first", said("x"))
            await cancel_writes_of(store, server)
            await store.add_messages("last", said("x"))
            assert set(await store.list_sessions()) <= {"first", "last", "0"}


async def test_some_may_give_up_while_others_in_the_same_batch_wait_on() -> None:
    """Who still waits gets an answer when the server goes on."""
    with RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            await store.add_messages("first", said("x"))
            async with paused(server):
                calls = [
                    asyncio.create_task(store.add_messages(str(n), said("x"))) for n in range(20)
                ]
                await asyncio.sleep(0.05)
                for call in calls[1::2]:
                    call.cancel()
                await asyncio.wait(calls[1::2])
            await asyncio.gather(*calls[::2])
            expected = {"first", *(str(n) for n in range(0, 20, 2))}
            assert set(await store.list_sessions()) == expected


async def test_a_call_of_several_steps_is_over_in_time() -> None:
    """No step gets the whole time again, neither of a write nor of a fork."""
    with RedisServer() as server, Proxy("127.0.0.1", server.port) as proxy:
        url = through(proxy, server)
        async with (
            RedisMemoryStore(url, timeout=0.5) as store,
            RedisMemoryStore(url, timeout=0.5) as forking,
        ):
            snapshot = await store.save_snapshot("s")
            for each in (store, forking):  # the connections are made
                await each.add_messages("s", said("a"))
                await each.list_snapshots("s")
            with redis.Redis.from_url(server.url) as admin:
                admin.script_flush()  # so that a script is sent by its name, and as a whole
            with proxy.delay(0.15):  # there and back: 0.3 s for each step
                with pytest.raises(MemoryStoreBackendError, match="no answer within"):
                    await store.add_messages("s", said("b"))
                with pytest.raises(MemoryStoreBackendError, match="no answer within"):
                    await forking.fork("s", snapshot, "t")


async def test_a_server_s_clock_that_was_set_forward_is_learnt_again() -> None:
    """A write that the server takes for late is sent again while there is time."""
    with RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            await store.add_messages("s", said("a"))
            clock = store._channel.clock
            assert clock._ahead is not None
            clock._ahead -= 3600  # as if the server's had been set one hour forward
            await asyncio.gather(*(store.add_messages("s", said(str(n))) for n in range(10)))
            assert len(await contents(store, "s")) == 11


async def test_a_user_who_may_not_ask_for_the_time_can_write() -> None:
    """Without deadlines, as that is all there is to be had."""
    with RedisServer() as server:
        with redis.Redis.from_url(server.url) as admin:
            commands = ["+@all", "-time"]
            admin.acl_setuser("bob", enabled=True, passwords="+pw", keys="*", commands=commands)
        url = f"redis://bob:pw@127.0.0.1:{server.port}"
        async with RedisMemoryStore(url) as store:
            await store.add_messages("s", said("a"))
            assert await contents(store, "s") == ["a"]


async def test_the_time_is_asked_for_on_the_way_without_mixing_up_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer goes to who asked, also when the clock is looked at with every exchange."""
    monkeypatch.setattr(redis_clock, "LEARN_EVERY", 0)
    with RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            await store.add_messages("s", said(*map(str, range(20))))
            removed = [store.trim("s", keep_last=20 - n) for n in range(1, 11)]
            assert await asyncio.gather(*removed) == [1] * 10


async def test_everybody_may_give_up_at_any_moment_and_the_line_goes_on() -> None:
    """Also when all who wait are cancelled just before their batch is sent."""
    with RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            for pause in range(40):
                calls = [asyncio.create_task(store.add_messages("s", said("x"))) for _ in "abc"]
                for _ in range(pause):
                    await asyncio.sleep(0)
                for call in calls[1:]:
                    call.cancel()
                await asyncio.wait(calls)
                await asyncio.wait_for(store.add_messages("s", said("y")), 5)


async def test_the_line_goes_on_whenever_those_who_wait_are_cancelled() -> None:
    """Before their batch has begun, too: the next write finds its turn."""
    with RedisServer() as server:
        async with RedisMemoryStore(server.url, timeout=5) as store:
            await store.add_messages("s", said("first"))
            for steps in range(60):
                texts = [f"{steps} {n}" for n in range(4)]
                calls = [asyncio.ensure_future(store.add_messages("s", said(x))) for x in texts]
                for call in calls[1:]:
                    for _ in range(steps % 7):
                        await asyncio.sleep(0)
                    call.cancel()
                await calls[0]
                await store.add_messages("s", said(f"after {steps}"))
                await asyncio.gather(*calls, return_exceptions=True)
            found = await contents(store, "s")
            assert [each for each in found if str(each).startswith("after")] == [
                f"after {n}" for n in range(60)
            ]

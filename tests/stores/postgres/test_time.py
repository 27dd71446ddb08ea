"""When a call on PostgreSQL ends, and what is left of one that was given up."""

import asyncio
import logging
import time

import pytest

from goldfish import MemoryStoreBackendError, PostgresMemoryStore
from goldfish.services import PostgresServer
from tests.stores.postgres.places import ask, contents, count_backends, holding_sessions, said


def opened(dsn: str, timeout: float = 0.5, pool_size: int = 2) -> PostgresMemoryStore:
    return PostgresMemoryStore(dsn, timeout=timeout, pool_size=pool_size, embedder=None)


async def refused_adds(store: PostgresMemoryStore, count: int, name: str = "late") -> list[str]:
    """What the store says about so many calls at once, all of which fail."""
    calls = [store.add_messages("s", said(f"{name} {n}")) for n in range(count)]
    errors = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(error, MemoryStoreBackendError) for error in errors)
    return [str(error) for error in errors]


async def test_calls_that_wait_for_a_lock_end_in_time_and_do_nothing_later(dsn: str) -> None:
    """However many there are, they hold no more connections than the pool may have."""
    async with opened(dsn, timeout=4) as store:
        await store.add_messages("s", said("first"))
        async with holding_sessions(dsn):
            for repeated in range(6):
                began = time.monotonic()
                errors = await refused_adds(store, 10)
                assert time.monotonic() - began < 20  # and not 10 times the limit
                assert await count_backends(dsn) <= 2
                assert any("pool_size" in error for error in errors)
                # Between the server's own limit and the cut there is a tenth of the timeout: where
                # the machine is later than that, the call cannot know, and says so.
                if repeated and all("nothing was written" in error for error in errors):
                    break
            else:
                raise AssertionError(errors)
        await store.add_messages("s", said("last"))
        await asyncio.sleep(0.6)
        assert await contents(store) == ["first", "last"]
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        assert await ask(dsn, waiting) == 0


async def test_cancelled_calls_are_cancelled_on_the_server(dsn: str) -> None:
    """When the cancelled task ends, what it wanted to write is decided: it is not there."""
    async with opened(dsn, timeout=20) as store:
        await store.add_messages("s", said("first"))
        async with holding_sessions(dsn):
            for _ in range(3):
                calls = [asyncio.create_task(store.add_messages("s", said("x"))) for _ in range(5)]
                await asyncio.sleep(0.2)
                for call in calls:
                    call.cancel()
                await asyncio.wait(calls, timeout=10)
                assert all(call.cancelled() for call in calls)
        await store.add_messages("s", said("last"))
        assert await contents(store) == ["first", "last"]
        assert await count_backends(dsn) <= 2


async def test_time_spent_waiting_for_a_connection_counts(dsn: str) -> None:
    """A call that gets its connection late has only the rest of its time on the server."""
    async with opened(dsn, timeout=4, pool_size=1) as store:
        await store.add_messages("s", said("first"))
        async with holding_sessions(dsn):
            first = asyncio.create_task(store.add_messages("s", said("one")))
            await asyncio.sleep(0.1)
            began = time.monotonic()
            second = asyncio.create_task(store.add_messages("s", said("two")))
            await asyncio.sleep(2)
            first.cancel()
            with pytest.raises(MemoryStoreBackendError, match="nothing was written"):
                await second
            assert time.monotonic() - began < 5  # a whole limit after the wait would end at 5.6
        assert await contents(store) == ["first"]


async def test_a_server_that_does_not_answer_is_given_up_in_time() -> None:
    """All calls end within their limit; those that found no connection were never sent."""
    with PostgresServer() as server:
        async with opened(server.dsn, timeout=1) as store:
            await store.add_messages("s", said("first"))
            server.pause()
            try:
                began = time.monotonic()
                errors = await refused_adds(store, 20)
                assert time.monotonic() - began < 4
            finally:
                server.resume()
            sent = sum("may still take effect" in error for error in errors)
            assert sent <= 2
            assert len(await contents(store)) <= 1 + sent
            await store.add_messages("s", said("last"))
            assert (await contents(store))[-1] == "last"


async def test_a_call_cancelled_while_the_server_does_not_answer_ends_in_time() -> None:
    """It waits for what became of its statement, but no longer than any call may take."""
    with PostgresServer() as server:
        async with opened(server.dsn, timeout=1) as store:
            await store.add_messages("s", said("first"))
            server.pause()
            try:
                began = time.monotonic()
                call = asyncio.create_task(store.add_messages("s", said("late")))
                await asyncio.sleep(0.1)
                call.cancel()
                await asyncio.wait([call], timeout=20)
                assert call.cancelled()
                assert call.cancelling() == 1
                assert time.monotonic() - began < 4  # the driver alone waits for 5 s and more
            finally:
                server.resume()
            assert (await contents(store))[0] == "first"


async def test_a_limit_of_the_server_leaves_the_connection_in_use(dsn: str) -> None:
    """The server says that it ended the statement, so there is no need for another connection."""
    async with opened(dsn, timeout=4, pool_size=1) as store:
        await store.add_messages("s", said("first"))
        await asyncio.sleep(0.2)  # for the first sweep to end
        pid = "SELECT min(pid) FROM pg_stat_activity WHERE application_name = 'goldfish'"
        before = await ask(dsn, pid)
        async with holding_sessions(dsn):
            await refused_adds(store, 1)
        assert await ask(dsn, pid) == before


async def test_the_address_may_name_the_application_and_the_limits(dsn: str) -> None:
    """What the address says is not overridden."""
    async with opened(f"{dsn}?application_name=bot&connect_timeout=7") as store:
        await store.ping()
        named = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bot'"
        assert await ask(dsn, named) >= 1


async def test_slow_calls_and_given_up_ones_are_logged_without_contents(
    dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has the statement and the time, and nothing that was said."""
    caplog.set_level(logging.DEBUG, "goldfish.stores.postgres")
    async with opened(dsn, timeout=20) as store:
        await store.add_messages("a secret session", said("a secret"))
        async with holding_sessions(dsn):
            call = asyncio.create_task(store.add_messages("a secret session", said("hidden")))
            await asyncio.sleep(1.1)
        await call
    assert "went from version 0 to" in caplog.text
    assert "a call took " in caplog.text
    assert "secret" not in caplog.text
    assert "hidden" not in caplog.text

"""Appends to PostgreSQL that share a statement, and what they do not share."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from goldfish import MemoryStoreBackendError, PostgresMemoryStore
from tests.stores.postgres.places import ask, connected, contents, said

MANY = 60


@asynccontextmanager
async def opened(dsn: str, timeout: float = 10.0) -> AsyncIterator[PostgresMemoryStore]:
    async with PostgresMemoryStore(dsn, timeout=timeout, pool_size=4, embedder=None) as store:
        await store.add_messages("s", said("first"))
        yield store


@asynccontextmanager
async def holding(dsn: str, session_id: str) -> AsyncIterator[None]:
    """Hold the row of one session, as a long transaction of somebody else."""
    async with connected(dsn) as connection, connection.transaction():
        query = b"SELECT pk FROM goldfish.sessions WHERE key = %s FOR UPDATE"
        await connection.execute(query, [session_id.encode()])
        yield


async def add_to_many(store: PostgresMemoryStore, *names: str) -> list[BaseException | None]:
    """Append to many sessions at once, and to those with a name; return what each call raised."""
    sessions = [*names, *(f"other {n}" for n in range(MANY))]
    calls = [store.add_messages(session, said(f"{session}!")) for session in sessions]
    return await asyncio.gather(*calls, return_exceptions=True)


async def test_appends_at_once_share_transactions_and_keep_the_order_of_each_session(
    dsn: str,
) -> None:
    async def talk(session: str) -> None:
        for turn in range(5):
            await store.add_messages(session, said(f"{session} {turn} a", f"{session} {turn} b"))

    async with opened(dsn) as store:
        await asyncio.gather(*(talk(f"talk {n}") for n in range(MANY)))
        for n in range(MANY):
            turns = [f"talk {n} {turn} {half}" for turn in range(5) for half in "ab"]
            assert await contents(store, f"talk {n}") == turns
        written = "SELECT count(DISTINCT xmin::text) FROM goldfish.messages"
        assert await ask(dsn, written) < MANY * 5 / 2


async def test_equal_ids_at_once_in_one_session_are_stored_once(dsn: str) -> None:
    async with opened(dsn) as store:
        await asyncio.gather(*(store.add_messages("t", said("same")) for _ in range(MANY)))
        assert await contents(store, "t") == ["same"]


async def test_a_session_that_somebody_holds_delays_nobody_else(dsn: str) -> None:
    async with opened(dsn) as store:
        async with holding(dsn, "s"):
            held = asyncio.create_task(store.add_messages("s", said("held")))
            await asyncio.sleep(0.05)  # its lone statement waits for the lock: now there is a line
            again = asyncio.create_task(store.add_messages("s", said("again")))
            assert await asyncio.wait_for(add_to_many(store), 8) == [None] * MANY
            assert not held.done()
        await asyncio.gather(held, again)
        assert sorted(await contents(store)) == ["again", "first", "held"]


async def test_an_append_that_is_refused_fails_alone(dsn: str) -> None:
    """The server refuses a whole group for one of its members; the others do not notice."""
    async with opened(dsn) as store:
        async with connected(dsn) as connection:
            await connection.execute(
                """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                   IF NEW.key = 'bad!' THEN RAISE EXCEPTION 'not this one'; END IF;
                   RETURN NEW; END $$;
                   CREATE TRIGGER refuse BEFORE INSERT ON goldfish.messages
                   FOR EACH ROW EXECUTE FUNCTION refuse()"""
            )
        raised, *others = await add_to_many(store, "bad")
        assert isinstance(raised, MemoryStoreBackendError)
        assert "not this one" in str(raised)
        assert others == [None] * MANY
        assert await contents(store, "bad") == []
        assert await contents(store, f"other {MANY - 1}") == [f"other {MANY - 1}!"]


@pytest.mark.parametrize("pause", [0, 0.0005, 0.002, 0.01])
async def test_a_cancelled_append_is_decided_when_its_call_has_ended(
    dsn: str, pause: float
) -> None:
    """Wherever it was, in the line or under way: nothing of it appears later."""
    async with opened(dsn) as store:
        calls = [asyncio.create_task(store.add_messages("s", said(f"{n}"))) for n in range(MANY)]
        await asyncio.sleep(pause)
        for call in calls[::2]:
            call.cancel()
        await asyncio.wait(calls[::2])
        decided = set(await contents(store)) & {f"{n}" for n in range(0, MANY, 2)}
        await asyncio.gather(*calls[1::2])
        await asyncio.sleep(0.1)
        present = set(await contents(store))
        assert present & {f"{n}" for n in range(0, MANY, 2)} == decided
        assert present >= {f"{n}" for n in range(1, MANY, 2)}


async def test_a_cancelled_append_does_not_wait_for_somebody_elses_lock(dsn: str) -> None:
    async with opened(dsn, timeout=30) as store:
        async with holding(dsn, "s"):
            calls = [asyncio.create_task(store.add_messages("s", said(f"{n}"))) for n in range(10)]
            await asyncio.sleep(0.3)
            began = time.monotonic()
            for call in calls:
                call.cancel()
            await asyncio.wait(calls)
            assert time.monotonic() - began < 10
        assert await contents(store) == ["first"]
        assert await add_to_many(store) == [None] * MANY

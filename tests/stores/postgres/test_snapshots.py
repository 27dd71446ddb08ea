"""What snapshots cost in PostgreSQL, counted in bytes and rows, and what they leave behind."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from goldfish import ChatMessage, PostgresMemoryStore
from goldfish.services import shared_postgres
from goldfish.stores.postgres.schema.migration import MIGRATIONS, migrate

TABLES = ("messages", "sessions", "snapshots", "lives", "archive")


@pytest.fixture
def dsn() -> Iterator[str]:
    dsn = shared_postgres().database()
    yield dsn
    shared_postgres().release(dsn)


@asynccontextmanager
async def connected(dsn: str) -> AsyncIterator["psycopg.AsyncConnection[tuple[Any, ...]]"]:
    connection = await psycopg.AsyncConnection.connect(dsn, autocommit=True)
    try:
        yield connection
    finally:
        await connection.close()


async def rows(dsn: str) -> dict[str, int]:
    async with connected(dsn) as connection:
        counts = {}
        for table in TABLES:
            cursor = await connection.execute(f"SELECT count(*) FROM goldfish.{table}".encode())
            counts[table] = (await cursor.fetchone() or (-1,))[0]
        return counts


def said(count: int) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=f"{n} ".ljust(200, "x")) for n in range(count)]


async def rows_written_by_saving(dsn: str, count: int) -> int:
    """How many rows of our tables a save inserts or updates, as the transaction itself sees it."""
    async with PostgresMemoryStore(dsn) as store:
        await store.add_messages("s", said(count))
    async with connected(dsn) as connection, connection.transaction():
        await connection.execute(
            "SELECT goldfish.save_snapshot('s', 's', %b, NULL, clock_timestamp())",
            [b"snapshot of %d" % count],
        )
        written = await connection.execute(
            """SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables
               WHERE schemaname = 'goldfish'"""
        )
        return int((await written.fetchone() or (-1,))[0])


async def test_saving_writes_as_much_for_a_long_history_as_for_a_short_one(dsn: str) -> None:
    """A thousand times the messages, the same two rows: the snapshot and its session."""
    assert await rows_written_by_saving(dsn, 3) == 2
    assert await rows_written_by_saving(dsn, 3000) == 2


async def test_messages_are_stored_once_and_removed_with_the_last_snapshot(dsn: str) -> None:
    """Snapshots share them; what none shows any more is gone; clearing leaves no row."""
    async with PostgresMemoryStore(dsn) as store:
        await store.add_messages("s", said(10))
        one = [await store.save_snapshot("s") for _ in range(5)]
        await store.trim("s", keep_last=4)
        two = await store.save_snapshot("s")
        await store.clear("s")
        assert await rows(dsn) | {"lives": 10} == {
            "messages": 0,
            "sessions": 1,
            "snapshots": 6,
            "lives": 10,
            "archive": 10,
        }
        for snapshot in one:
            await store.delete_snapshot("s", snapshot)
        assert (await rows(dsn))["archive"] == 4
        await store.rollback_to_snapshot("s", two)
        assert (await rows(dsn))["archive"] == 0
        await store.clear("s")
        await store.delete_snapshot("s", two)
        assert await rows(dsn) == dict.fromkeys(TABLES, 0)
        await store.add_messages("s", said(3))
        await store.save_snapshot("s")
        await store.clear("s", snapshots=True)
        assert await rows(dsn) == dict.fromkeys(TABLES, 0)


async def test_a_schema_from_before_snapshots_is_brought_up_to_date(dsn: str) -> None:
    """Its messages are there, and can be saved and rolled back."""
    async with connected(dsn) as connection:
        await migrate(connection, "goldfish", MIGRATIONS[:1])
        body = '{"id":"a","role":"user","content":"old","created_at":"2026-01-01T00:00:00+00:00"}'
        await connection.execute(
            "SELECT goldfish.append('s', 's', ARRAY['a'::bytea], ARRAY[%b::bytea], NULL)",
            [body.encode()],
        )
    async with PostgresMemoryStore(dsn) as store:
        snapshot = await store.save_snapshot("s")
        await store.trim("s", keep_last=0)
        await store.rollback_to_snapshot("s", snapshot)
        assert [m.content for m in await store.get_history("s")] == ["old"]

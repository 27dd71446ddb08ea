"""What snapshots cost in a SQLite file, counted in bytes and rows, and what they leave behind."""

import sqlite3
from pathlib import Path

import pytest

from goldfish import ChatMessage, SQLiteMemoryStore
from goldfish.stores.sqlite import schema

TABLES = ("messages", "sessions", "snapshots", "lives", "archive")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def said(count: int) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=f"{n} ".ljust(200, "x")) for n in range(count)]


def rows(path: Path) -> dict[str, int]:
    connection = sqlite3.connect(path)
    counts = {
        table: connection.execute(f"SELECT count(*) FROM goldfish_{table}").fetchone()[0]
        for table in TABLES
    }
    connection.close()
    return counts


async def bytes_written_by_saving(path: Path, count: int) -> int:
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said(count))
        await store.save_snapshot("s")  # the first one fills the page of an index
        log = path.with_name(path.name + "-wal")
        before = log.stat().st_size
        await store.save_snapshot("s")
        return log.stat().st_size - before


async def test_saving_writes_as_much_for_a_long_history_as_for_a_short_one(tmp_path: Path) -> None:
    """A thousand times the messages, the same bytes."""
    short = await bytes_written_by_saving(tmp_path / "short.db", 3)
    long = await bytes_written_by_saving(tmp_path / "long.db", 3000)
    assert 0 < long <= short


async def test_messages_are_stored_once_whatever_the_number_of_snapshots(path: Path) -> None:
    """Thirty snapshots of the same messages share them, also when these are removed."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said(100))
        snapshots = [await store.save_snapshot("s") for _ in range(30)]
        await store.clear("s")
        assert rows(path) | {"sessions": 1} == {
            "messages": 0,
            "sessions": 1,
            "snapshots": 30,
            "lives": 100,
            "archive": 100,
        }
        for snapshot in snapshots:
            await store.rollback_to_snapshot("s", snapshot)
        assert rows(path)["archive"] == 0
        assert rows(path)["messages"] == 100


async def test_what_no_snapshot_shows_any_more_is_removed(path: Path) -> None:
    """With the last of the snapshots that show it, and the rest with clear or clear_all."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said(10))
        one = await store.save_snapshot("s")
        await store.trim("s", keep_last=5)
        two = await store.save_snapshot("s")
        await store.clear("s")
        await store.delete_snapshot("s", one)
        assert rows(path)["archive"] == 5
        await store.rollback_to_snapshot("s", two)
        await store.delete_snapshot("s", two)
        assert rows(path) == dict.fromkeys(TABLES, 0) | {"messages": 5, "sessions": 1}
        await store.clear("s")
        await store.delete_snapshot("s", await store.save_snapshot("s"))
        assert rows(path) == dict.fromkeys(TABLES, 0)


@pytest.mark.parametrize("everywhere", [False, True])
async def test_clearing_with_the_snapshots_leaves_no_row(path: Path, everywhere: bool) -> None:
    """Neither of one session nor of all."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said(10))
        one = await store.save_snapshot("s")
        await store.trim("s", keep_last=1)
        await store.save_snapshot("s")
        await store.rollback_to_snapshot("s", one)
        await (store.clear_all() if everywhere else store.clear("s", snapshots=True))
        assert rows(path) == dict.fromkeys(TABLES, 0)


async def test_a_file_from_before_snapshots_is_brought_up_to_date(path: Path) -> None:
    """Its messages are there, and can be saved and rolled back."""
    connection = sqlite3.connect(path, isolation_level=None)
    schema.migrate(connection, schema.MIGRATIONS[:1], path)
    connection.execute("INSERT INTO goldfish_sessions (session_id) VALUES ('s')")
    body = '{"id":"a","role":"user","content":"old","created_at":"2026-01-01T00:00:00+00:00"}'
    connection.execute(
        "INSERT INTO goldfish_messages VALUES ((1 << 32) + 1, 1, 'a', ?)",
        (body,),
    )
    connection.close()
    async with SQLiteMemoryStore(path) as store:
        snapshot = await store.save_snapshot("s")
        await store.trim("s", keep_last=0)
        await store.rollback_to_snapshot("s", snapshot)
        assert [m.content for m in await store.get_history("s")] == ["old"]

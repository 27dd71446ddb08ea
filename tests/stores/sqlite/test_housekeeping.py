"""What has expired is soon gone from a SQLite file that is in use, every byte of it."""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from goldfish import ChatMessage, SQLiteMemoryStore
from goldfish.testing import HashEmbedder

SECRET = "the-secret-word"
TABLES = ("sessions", "messages", "vectors", "kept", "state", "archive", "lives", "snapshots")
FACT_TABLES = ("fact_users", "facts", "fact_history", "fact_tokens")


def opened(path: Path) -> SQLiteMemoryStore:
    embedder = HashEmbedder(16)
    return SQLiteMemoryStore(path, embedder=embedder, search=True, keep_trimmed=True)


def said(count: int) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=f"{n}: {SECRET}") for n in range(count)]


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement)
    connection.close()


def rows(path: Path, *tables: str) -> dict[str, int]:
    """The number of rows of each table that has any."""
    connection = sqlite3.connect(path)
    counts = {
        table: connection.execute(f"SELECT count(*) FROM goldfish_{table}").fetchone()[0]
        for table in tables or (*TABLES, *FACT_TABLES)
    }
    connection.close()
    return {table: count for table, count in counts.items() if count}


def bytes_of(path: Path) -> bytes:
    """All that is on the disk; the log is read first, for it moves into the file."""
    log = Path(f"{path}-wal")
    return (log.read_bytes() if log.exists() else b"") + path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


async def until_gone(store: SQLiteMemoryStore, path: Path, *tables: str) -> None:
    """Read now and then, as an application would, until nothing is left."""
    for _ in range(200):
        await store.get_history("nobody")
        if not rows(path, *tables):
            return
        await asyncio.sleep(0.05)
    pytest.fail(f"still there: {rows(path, *tables)}")


async def until_erased(store: SQLiteMemoryStore, path: Path) -> None:
    """Read now and then until no byte of what was said is on the disk."""
    for _ in range(200):
        await store.get_history("nobody")
        if SECRET.encode() not in bytes_of(path):
            return
        await asyncio.sleep(0.05)
    pytest.fail("it is still on the disk")


async def expire_sessions(path: Path, count: int) -> None:
    """Fill a file with sessions whose time was over long ago."""
    async with SQLiteMemoryStore(path) as store:
        await asyncio.gather(*(store.add_messages(f"s{n}", said(2)) for n in range(count)))
    change(path, "UPDATE goldfish_sessions SET expires_at = 1")


async def test_three_thousand_expired_sessions_are_gone_after_a_few_reads(path: Path) -> None:
    """Nobody asks for them and nobody writes: all rows go."""
    await expire_sessions(path, 3000)
    assert rows(path)["sessions"] == 3000
    async with opened(path) as store:
        await until_gone(store, path)


async def test_calls_go_on_while_much_is_removed(path: Path) -> None:
    """Writes are served between the steps, and what they wrote stays."""
    await expire_sessions(path, 500)
    async with opened(path) as store:
        for n in range(50):
            await store.add_messages("new", [ChatMessage(role="user", content=f"{n}")])
        for _ in range(200):
            if rows(path, "sessions") == {"sessions": 1}:
                break
            await store.get_history("new")
            await asyncio.sleep(0.05)
        assert rows(path, "sessions", "messages") == {"sessions": 1, "messages": 50}


async def test_closing_removes_what_has_expired(path: Path) -> None:
    """A process that opens the store for a single call takes its share, too."""
    await expire_sessions(path, 20)
    async with opened(path) as store:
        await store.get_history("nobody")
    assert rows(path) == {}


async def test_no_byte_of_what_has_expired_is_left_on_the_disk(path: Path) -> None:
    """Neither in free pages nor in the log, while the store is open."""
    async with opened(path) as store:
        await store.add_messages("s", said(100))
        await store.trim("s", keep_last=50)
        await store.set_state("s", {"name": SECRET})
        fact = await store.remember("u", SECRET, ttl=600, key="k")
        await store.revise("u", fact.id, f"not {SECRET}")
        assert SECRET.encode() in bytes_of(path)
        change(path, "UPDATE goldfish_sessions SET expires_at = 1")
        change(path, "UPDATE goldfish_facts SET expires_at = 1")
        await until_gone(store, path)
        await until_erased(store, path)


@pytest.mark.parametrize("way", ["clear", "clear_all", "delete_messages", "forget", "forget_all"])
async def test_no_byte_of_what_was_removed_on_purpose_is_left(path: Path, way: str) -> None:
    """A moment after the call, neither in free pages nor in the log."""
    async with opened(path) as store:
        batch = said(30)
        await store.add_messages("s", [] if "forget" in way else batch)
        fact = await store.remember("u", SECRET if "forget" in way else "likes tea")
        removals: dict[str, Callable[[], Awaitable[object]]] = {
            "clear": lambda: store.clear("s"),
            "clear_all": store.clear_all,
            "delete_messages": lambda: store.delete_messages("s", [each.id for each in batch]),
            "forget": lambda: store.forget("u", fact.id),
            "forget_all": lambda: store.forget_all("u"),
        }
        assert SECRET.encode() in bytes_of(path)
        await removals[way]()
        await until_erased(store, path)


async def test_a_long_session_goes_in_pieces_and_its_snapshots_stay(path: Path) -> None:
    """Also one with messages that a trim kept for searches; what a snapshot shows is kept."""
    async with opened(path) as store:
        batch = said(2000)
        await store.add_messages("s", batch)
        await store.trim("s", keep_last=1500)
        snapshot = await store.save_snapshot("s")
        await store.trim("s", keep_last=1000)
        await store.add_messages("s", said(100))
        change(path, "UPDATE goldfish_sessions SET expires_at = 1")
        await until_gone(store, path, "messages", "kept")
        assert rows(path, "archive") == {"archive": 1500}
        assert await store.get_history("s") == []
        await store.rollback_to_snapshot("s", snapshot)
        assert await store.get_history("s") == batch[500:]
        assert (await store.search_history(["s"], SECRET, limit=1)) != []


async def test_a_session_that_is_half_removed_never_shows(path: Path) -> None:
    """Even if the clock is set back meanwhile: it is over for good."""
    async with opened(path) as store:
        await store.add_messages("s", said(3000))
        change(path, "UPDATE goldfish_sessions SET expires_at = unixepoch() - 1")
        seen = set()
        give_up = time.monotonic() + 30
        while time.monotonic() < give_up:
            await store.get_history("nobody")
            connection = sqlite3.connect(path)
            query = "SELECT expires_at, (SELECT count(*) FROM goldfish_messages) < 3000"
            found = connection.execute(f"{query} FROM goldfish_sessions").fetchone()
            connection.close()
            if found is None:
                break
            seen.add(found)
            await asyncio.sleep(0.005)
        assert all(deadline == 0 for deadline, begun in seen if begun)
        assert rows(path) == {}


async def test_expired_facts_and_old_tokens_go_with_their_users(path: Path) -> None:
    """A user is gone with the last fact; the token of a living fact goes after its day."""
    async with opened(path) as store:
        for n in range(60):
            await store.remember(f"u{n}", "parked here", ttl=600, key="k")
        await store.remember("stays", "likes tea", key="k")
        change(path, "UPDATE goldfish_facts SET expires_at = 1 WHERE expires_at IS NOT NULL")
        change(path, "UPDATE goldfish_fact_tokens SET noted_at = noted_at - 90000")
        for _ in range(200):
            if rows(path) == {"fact_users": 1, "facts": 1}:
                break
            await store.get_history("nobody")
            await asyncio.sleep(0.05)
        assert rows(path) == {"fact_users": 1, "facts": 1}
        (fact,) = await store.list_facts("stays")
        assert fact.times_seen == 1

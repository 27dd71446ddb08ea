"""How a SQLite file is made: for its owner alone, and brought up to date when it is older."""

import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldfish import ChatMessage, SQLiteMemoryStore
from goldfish.stores.sqlite import schema

SUFFIXES = ("", "-wal", "-shm")


def mode_of(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


async def use(path: Path) -> list[int]:
    """Write to the file; return the modes of all that belongs to it, while it is open."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", [ChatMessage(role="user", content="x")])
        return [mode_of(f"{path}{suffix}") for suffix in SUFFIXES]


@pytest.fixture(params=[0o022, 0o000])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


async def test_a_new_file_is_for_its_owner_alone(tmp_path: Path, umask: None) -> None:
    """With its log and its index, whatever the umask would allow."""
    assert await use(tmp_path / "memory.db") == [0o600] * 3


async def test_an_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    """Who may read it was decided by whoever made it."""
    path = tmp_path / "memory.db"
    path.touch(mode=0o640)
    os.chmod(path, 0o640)
    assert await use(path) == [0o640] * 3
    assert await use(path) == [0o640] * 3


async def test_a_link_leads_to_where_the_file_is_made(tmp_path: Path) -> None:
    """For its owner alone, too, although nothing was there yet."""
    (tmp_path / "memory.db").symlink_to(tmp_path / "elsewhere.db")
    async with SQLiteMemoryStore(tmp_path / "memory.db") as store:
        await store.add_messages("s", [ChatMessage(role="user", content="x")])
    assert (tmp_path / "memory.db").is_symlink()
    assert mode_of(tmp_path / "elsewhere.db") == 0o600


async def test_a_file_from_before_keys_is_brought_up_to_date(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its facts and sessions are there, and calls on them can be repeated."""
    path = tmp_path / "memory.db"
    connection = sqlite3.connect(path, isolation_level=None)
    schema.migrate(connection, schema.MIGRATIONS[:5], path)
    connection.execute("INSERT INTO goldfish_sessions (session_id, epoch) VALUES ('s', 1)")
    body = '{"id":"a","role":"user","content":"old","created_at":"2026-01-01T00:00:00+00:00"}'
    connection.execute("INSERT INTO goldfish_messages VALUES ((1 << 32) + 1, 1, 'a', ?)", (body,))
    connection.close()
    caplog.set_level(logging.INFO, "goldfish.stores.sqlite")
    async with SQLiteMemoryStore(path, embedder=None) as store:
        saved = await store.save_snapshot("s", key="k")
        assert await store.save_snapshot("s", key="k") == saved
        await store.fork("s", saved, "new", key="k")
        await store.fork("s", saved, "new", key="k")
        assert [m.content for m in await store.get_history("new")] == ["old"]
        assert (await store.remember("u", "likes tea", key="k")).times_seen == 1
        assert (await store.remember("u", "likes tea", key="k")).times_seen == 1
    assert f"migrated from schema version 5 to {len(schema.MIGRATIONS)}" in caplog.text

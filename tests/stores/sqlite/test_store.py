"""What the SQLite store does about files: odd, damaged, locked, full, replaced, newer."""

import asyncio
import os
import resource
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldfish
from goldfish import ChatMessage, SQLiteMemoryStore
from goldfish.stores.sqlite import schema
from goldfish.stores.sqlite.file import SQLiteFile


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


async def contents(store: SQLiteMemoryStore, session: str = "s") -> list[object]:
    return [message.content for message in await store.get_history(session)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


async def filled(path: Path, count: int = 3) -> None:
    async with SQLiteMemoryStore(path) as store:
        for n in range(count):
            await store.add_messages("s", said(f"{n}" * 500))


async def test_the_file_syncs_each_commit_and_keeps_a_write_ahead_log(path: Path) -> None:
    """Durability is what the docstring says: WAL, synchronous FULL."""
    file = SQLiteFile(path, timeout=1)
    connection = file.connect()
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    connection.close()


async def test_nothing_is_opened_before_the_first_call(path: Path) -> None:
    """Making a store touches no file, so that it can be made at import time."""
    SQLiteMemoryStore(path)
    assert not path.exists()


async def test_text_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    """A file of another kind is an error that says so, and keeps every byte."""
    path.write_text("dear diary, " * 1000)
    before = path.read_bytes()
    async with SQLiteMemoryStore(path) as store:
        with pytest.raises(goldfish.MemoryStoreBackendError, match="not a SQLite database"):
            await store.get_history("s")
        with pytest.raises(goldfish.MemoryStoreBackendError, match="not a SQLite database"):
            await store.add_messages("s", said("x"))
    assert path.read_bytes() == before


async def test_a_damaged_file_is_an_error_and_never_an_empty_memory(path: Path) -> None:
    """Overwritten pages are reported as damage."""
    await filled(path, 200)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    async with SQLiteMemoryStore(path) as store:
        with pytest.raises(goldfish.MemoryStoreBackendError, match="damaged"):
            await store.get_history("s")


async def test_a_truncated_file_is_an_error(path: Path) -> None:
    """Half a file is reported as damage, by reads and writes."""
    await filled(path, 200)
    os.truncate(path, path.stat().st_size // 2)
    async with SQLiteMemoryStore(path) as store:
        with pytest.raises(goldfish.MemoryStoreBackendError):
            await store.get_history("s")
        with pytest.raises(goldfish.MemoryStoreBackendError):
            await store.add_messages("s", said("x"))


async def test_a_damaged_message_is_an_error(path: Path) -> None:
    """A row that is not what was written is reported, not skipped."""
    await filled(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE goldfish_messages SET body = '{\"id\": 5}' WHERE rowid % 2")
    connection.close()
    async with SQLiteMemoryStore(path) as store:
        with pytest.raises(goldfish.MemoryStoreBackendError, match="stored message is damaged"):
            await store.get_history("s")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_read_only_directory_is_an_error(tmp_path: Path) -> None:
    """Where this user may not write, the store says so."""
    directory = tmp_path / "sealed"
    directory.mkdir(mode=0o500)
    async with SQLiteMemoryStore(directory / "memory.db") as store:
        with pytest.raises(goldfish.MemoryStoreBackendError, match="may write"):
            await store.add_messages("s", said("x"))


async def test_a_missing_directory_is_an_error(tmp_path: Path) -> None:
    """The path is in the message, with what to check."""
    async with SQLiteMemoryStore(tmp_path / "no" / "memory.db") as store:
        with pytest.raises(goldfish.MemoryStoreBackendError, match="check that the path exists"):
            await store.add_messages("s", said("x"))


@pytest.mark.parametrize("bad", [":memory:", "", "a\0b"])
def test_a_path_that_is_no_file_is_refused(bad: str) -> None:
    """A private in-memory database would be lost with the connection."""
    with pytest.raises((ValueError, TypeError), match=r"path|file"):
        SQLiteMemoryStore(bad)


@pytest.mark.parametrize("name", ["a?b.db", "per%20cent.db", "a#b.db", "ünï 🐠.db", "file:x.db"])
async def test_any_file_name_is_taken_literally(tmp_path: Path, name: str) -> None:
    """The path never becomes a URI."""
    async with SQLiteMemoryStore(tmp_path / name) as store:
        await store.add_messages("s", said("x"))
    assert (tmp_path / name).exists()


async def test_a_lock_past_the_timeout_is_an_error_and_then_all_is_well(path: Path) -> None:
    """Another process that holds the file costs an error, not a message."""
    async with SQLiteMemoryStore(path, timeout=0.2) as store:
        await store.add_messages("s", said("before"))
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        calls = [store.add_messages("s", said(f"{n}")) for n in range(10)]
        for outcome in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(outcome, goldfish.MemoryStoreBackendError)
            assert "another process held the file" in str(outcome)
        assert await contents(store) == ["before"]  # readers do not wait for writers
        holder.execute("ROLLBACK")
        holder.close()
        await store.add_messages("s", said("after"))
        assert await contents(store) == ["before", "after"]


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file may grow beyond 400 kB: what a full disk looks like without filling one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, handler)


async def test_a_full_disk_is_an_error_and_nothing_is_half_written(
    path: Path, small_files: None
) -> None:
    """What was acknowledged stays, the refused batch leaves nothing, reading goes on."""
    acknowledged: list[int] = []

    async def fill(store: SQLiteMemoryStore) -> None:
        for number in range(1000):
            await store.add_messages("s", [*said("q" * 3000), *said("a" * 3000)])
            acknowledged.append(number)

    async with SQLiteMemoryStore(path) as store:
        with pytest.raises(goldfish.MemoryStoreBackendError, match="disk"):
            await fill(store)
        kept = len(acknowledged)
        assert kept > 5
        assert len(await contents(store)) == 2 * kept
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        await store.add_messages("s", said("after"))
        assert len(await contents(store)) == 2 * kept + 1


async def test_a_failing_neighbour_in_the_same_commit_fails_alone(path: Path) -> None:
    """Writers share a commit; a write that SQLite refuses takes no other with it."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said("first"))
        with sqlite3.connect(path) as connection:
            connection.execute(
                """CREATE TRIGGER refuse BEFORE INSERT ON goldfish_messages
                   WHEN NEW.body LIKE '%poison%' BEGIN SELECT RAISE(ABORT, 'poisoned'); END"""
            )
        connection.close()
        texts = ["a", "poison", "b", "c"]
        calls = [store.add_messages(f"s{text}", said(text)) for text in texts]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert [isinstance(each, Exception) for each in outcomes] == [False, True, False, False]
        assert [await contents(store, f"s{text}") for text in texts] == [["a"], [], ["b"], ["c"]]


async def test_a_file_that_vanished_is_not_an_empty_memory(path: Path) -> None:
    """Neither reads nor writes pretend; when the file is back, so is the memory."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said("x"))
        moved = path.with_suffix(".away")
        for suffix in ("", "-wal", "-shm"):
            shutil.move(f"{path}{suffix}", f"{moved}{suffix}")
        with pytest.raises(goldfish.MemoryStoreBackendError):
            await store.get_history("s")
        with pytest.raises(goldfish.MemoryStoreBackendError):
            await store.add_messages("s", said("y"))
        assert not path.exists()
        for suffix in ("", "-wal", "-shm"):
            shutil.move(f"{moved}{suffix}", f"{path}{suffix}")
        assert await contents(store) == ["x"]


async def test_a_file_that_was_replaced_is_noticed(path: Path, tmp_path: Path) -> None:
    """Writing into a file that nobody can find any more would lose what was acknowledged."""
    await filled(tmp_path / "other.db")
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said("x"))
        os.replace(tmp_path / "other.db", path)
        with pytest.raises(goldfish.MemoryStoreBackendError, match="replaced"):
            await store.add_messages("s", said("y"))


async def test_a_newer_file_is_refused_with_a_sentence(path: Path) -> None:
    """Data of a later goldfish are not touched by an earlier one."""
    await filled(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE goldfish_schema SET version = 99")
    connection.close()
    async with SQLiteMemoryStore(path) as store:
        with pytest.raises(goldfish.SchemaTooNewError, match="pip install --upgrade goldfish"):
            await store.get_history("s")


async def test_an_older_file_is_migrated_in_one_transaction(path: Path) -> None:
    """A migration that fails half-way leaves the file as it was; one that works keeps the data."""
    await filled(path)
    now = len(schema.MIGRATIONS)
    newer = (*schema.MIGRATIONS, ("CREATE TABLE extra (x)", "INSERT INTO missing VALUES (1)"))
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(connection, newer, path)
    assert connection.execute("SELECT version FROM goldfish_schema").fetchone() == (now,)
    assert connection.execute("SELECT name FROM sqlite_master WHERE name='extra'").fetchall() == []
    schema.migrate(connection, (*newer[:-1], newer[-1][:1]), path)
    assert connection.execute("SELECT version FROM goldfish_schema").fetchone() == (now + 1,)
    assert connection.execute("SELECT count(*) FROM goldfish_messages").fetchone() == (3,)
    connection.close()


async def test_the_memory_may_live_in_an_application_s_own_file(path: Path) -> None:
    """Our tables stand beside others and leave the application's version alone."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users (name)")
        connection.execute("INSERT INTO users VALUES ('ada')")
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said("x"))
        await store.clear_all()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM users").fetchall() == [("ada",)]
        assert connection.execute("PRAGMA user_version").fetchone() == (7,)
    connection.close()


async def test_expired_sessions_that_nobody_asks_for_are_removed(path: Path) -> None:
    """The file does not grow for ever with what has expired."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("old", said("x"))
        await store.set_ttl("old", 0.01)
        await asyncio.sleep(0.02)
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("new", said("y"))
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM goldfish_messages").fetchone() == (1,)
    connection.close()


async def test_a_long_history_is_read_by_a_thread_with_the_same_result(path: Path) -> None:
    """More rows than the event loop should fetch come from another lane, in the same order."""
    async with SQLiteMemoryStore(path) as store:
        batch = [ChatMessage(role="user", content=str(n)) for n in range(3000)]
        await store.add_messages("s", batch)
        assert await store.get_history("s") == batch
        assert await store.get_history("s", last=2000) == batch[1000:]
        assert await store.get_history("s", last=10) == batch[-10:]

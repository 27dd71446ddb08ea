"""How long a call on a SQLite file waits, and what becomes of one that nobody waits for."""

import asyncio
import logging
import math
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import goldfish
from goldfish import ChatMessage, SQLiteMemoryStore
from goldfish.encoding import decode_messages, encode_batch
from goldfish.stores.base import Bodies
from goldfish.stores.sqlite.quick import QUICK_STREAK


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


async def contents(store: SQLiteMemoryStore, session: str = "s") -> list[object]:
    return [message.content for message in await store.get_history(session)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another connection holds the file, as another process would."""
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


async def seconds_of(store: SQLiteMemoryStore, text: str) -> float:
    began = time.monotonic()
    with pytest.raises(goldfish.MemoryStoreBackendError, match="another process held the file"):
        await store.add_messages("s", said(text))
    return time.monotonic() - began


async def test_a_call_waits_for_its_timeout_in_all(path: Path) -> None:
    """Its turn in the queue and the lock count together, also for calls that come later."""
    async with SQLiteMemoryStore(path, timeout=2) as store:
        await store.add_messages("s", said("before"))
        with held(path):
            calls = []
            for n in range(8):
                calls.append(asyncio.create_task(seconds_of(store, f"{n}")))
                await asyncio.sleep(0.1)
            seconds = await asyncio.gather(*calls)
        assert all(1.9 < each < 3.2 for each in seconds), seconds
        await store.add_messages("s", said("after"))
        assert await contents(store) == ["before", "after"]


async def test_opening_counts_as_well(path: Path) -> None:
    """The first call of a store waits no longer than others, whatever is in its way."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said("before"))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE goldfish_schema SET version = 6")
    for table in ("goldfish_fact_blocks", "goldfish_fact_links"):
        connection.execute(f"DROP TABLE {table}")
    for index in ("goldfish_facts_by_place", "goldfish_facts_ending"):
        connection.execute(f"DROP INDEX {index}")
    connection.execute("ALTER TABLE goldfish_fact_users DROP COLUMN marked")
    connection.execute("DROP TABLE goldfish_search_blocks")
    for column in ("marked_to", "marked_epoch"):
        connection.execute(f"ALTER TABLE goldfish_sessions DROP COLUMN {column}")
    connection.close()
    async with SQLiteMemoryStore(path, timeout=0.5) as store:
        with held(path):
            began = time.monotonic()
            with pytest.raises(goldfish.MemoryStoreBackendError, match="held the file"):
                await store.get_history("s")
            assert time.monotonic() - began < 5
        assert await contents(store) == ["before"]


async def test_a_call_that_was_given_up_is_not_done_later(path: Path) -> None:
    """Neither one whose time was over nor one that was cancelled, in the queue or at the lock."""
    async with SQLiteMemoryStore(path, timeout=0.5) as store:
        await store.add_messages("s", said("before"))
        with held(path):
            first = [asyncio.create_task(store.add_messages("s", said("late"))) for _ in range(3)]
            await asyncio.sleep(0.1)
            behind = [asyncio.create_task(store.clear("s")) for _ in range(3)]
            await asyncio.sleep(0.1)
            for task in (first[0], behind[0]):
                task.cancel()
            outcomes = await asyncio.gather(*first, *behind, return_exceptions=True)
        assert all(isinstance(each, BaseException) for each in outcomes)
        await store.add_messages("s", said("after"))
        assert await contents(store) == ["before", "after"]


async def test_a_call_that_is_cancelled_at_once_does_nothing(path: Path) -> None:
    """Even if nothing stood in its way: it had not begun."""
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said("before"))
        await store.get_history("s")
        task = asyncio.create_task(store.add_messages("s", said("cancelled")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await contents(store) == ["before"]


async def test_a_call_behind_a_long_one_of_this_process_is_given_up(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The error says that it was not started, and it is not done when the long one has ended."""
    caplog.set_level(logging.INFO, "goldfish.stores.sqlite")
    async with SQLiteMemoryStore(path, timeout=0.3) as store:
        await store.add_messages("s", said("before"))
        # Two at once are the writer's; one alone may be done in this very thread.
        works = (lambda connection: time.sleep(1.2), lambda connection: None)
        long = asyncio.gather(*(store._lanes.write(work) for work in works))
        await asyncio.sleep(0.1)
        with pytest.raises(goldfish.MemoryStoreBackendError, match="was not started"):
            await asyncio.gather(*(store.add_messages("s", said("late")) for _ in range(2)))
        await long  # what has begun is done, and its caller sees the outcome
        assert "gave up 2 call(s) whose turn did not come" in caplog.text
        assert "2 call(s) took up to" in caplog.text
        assert await contents(store) == ["before"]


async def test_a_timeout_of_nothing_serves_calls_that_need_not_wait(path: Path) -> None:
    """It means: fail at once if somebody else holds the file."""
    async with SQLiteMemoryStore(path, timeout=0) as store:
        await store.add_messages("s", said("before"))
        with held(path), pytest.raises(goldfish.MemoryStoreBackendError, match="held the file"):
            await store.add_messages("s", said("late"))
        assert await contents(store) == ["before"]


async def test_waiting_and_giving_up_are_logged(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With the file and the time, without anything that was said."""
    caplog.set_level(logging.INFO, "goldfish.stores.sqlite")
    async with SQLiteMemoryStore(path, timeout=1.2) as store:
        await store.add_messages("s", said("secret"))
        with held(path), pytest.raises(goldfish.MemoryStoreBackendError):
            await store.add_messages("s", said("secret"))
    assert "waiting for another process" in caplog.text
    assert "gave up 1 call(s) after 1.2 s" in caplog.text
    assert str(path) in caplog.text
    assert "secret" not in caplog.text


async def test_the_log_shrinks_when_a_long_reader_has_gone(path: Path) -> None:
    """A reader makes it grow; soon after the reader has ended, calls of any kind have cut it."""
    big = "x" * 100_000
    async with SQLiteMemoryStore(path) as store:
        await store.add_messages("s", said("first"))
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM goldfish_messages").fetchone()
        for _ in range(25):
            await store.add_messages("s", [m for _ in range(10) for m in said(big)])
        assert os.stat(f"{path}-wal").st_size > 20_000_000
        reader.execute("COMMIT")
        reader.close()
        for _ in range(100):
            await store.get_history("s", last=1)
            if os.stat(f"{path}-wal").st_size < 17_000_000:
                return
            await asyncio.sleep(0.05)
        pytest.fail(f"the log still has {os.stat(f'{path}-wal').st_size} bytes")


async def prepare(store: SQLiteMemoryStore) -> None:
    """Let the threads open the lane for callers, and tidy up no more."""
    await store.add_messages("s", said("before"))
    store._lanes._tidy_at = math.inf
    while not store._lanes._quick._commits_left or store._lanes._writers[0].has_jobs:
        await asyncio.sleep(0.001)


def row(text: str) -> list[tuple[str, str]]:
    return encode_batch(said(text))


def texts(bodies: Bodies | None) -> list[object] | None:
    return None if bodies is None else [each.content for each in decode_messages(bodies)]


async def test_a_thread_without_a_loop_appends_and_reads_by_itself(path: Path) -> None:
    """However slow the disk was; what it reads is what it wrote, after what was there."""
    async with SQLiteMemoryStore(path) as store:
        await prepare(store)
        store._lanes._quick._is_fast = False
        found = await asyncio.to_thread(store._try_append_and_read, "s", row("one"), 2)
        assert texts(found) == ["before", "one"]
        assert texts(store._try_append_and_read("s", row("two"), 1)) == ["two"]
        assert texts(store._try_read("s", 2)) == ["one", "two"]
        assert await contents(store) == ["before", "one", "two"]


async def test_what_comes_late_is_written_in_the_same_commit(path: Path) -> None:
    """Or nothing is, if it cannot be told what that is."""
    async with SQLiteMemoryStore(path) as store:
        await prepare(store)
        found = store._try_append_and_read("s", row("one"), 2, lambda: row("late"))
        assert texts(found) == ["before", "one", "late"]
        assert store._lanes._quick._commits_left == QUICK_STREAK - 1

        def fail() -> list[tuple[str, str]]:
            raise ValueError

        assert store._try_append_and_read("s", row("two"), 2, fail) is None
        assert await contents(store) == ["before", "one", "late"]


async def test_a_thread_leaves_its_write_to_the_writer_if_others_write(path: Path) -> None:
    """Nothing is written twice, and those that queue are not overtaken."""
    async with SQLiteMemoryStore(path) as store:
        await prepare(store)
        with held(path):
            assert store._try_append_and_read("s", row("one"), 1) is None
        store._lanes._writers[0].has_jobs = True
        assert store._try_append_and_read("s", row("two"), 1) is None
        assert await contents(store) == ["before"]


async def test_the_writer_takes_a_turn_after_many_commits_of_threads(path: Path) -> None:
    """Only the writer shortens the log, so nobody else commits for ever."""
    async with SQLiteMemoryStore(path) as store:
        await prepare(store)
        store._lanes._quick._commits_left = 1
        assert texts(store._try_append_and_read("s", row("one"), 1)) == ["one"]
        assert store._try_append_and_read("s", row("two"), 1) is None
        await store.add_messages("s", said("three"))
        assert await contents(store) == ["before", "one", "three"]


async def test_a_thread_waits_for_one_other_and_the_next_for_the_writer(path: Path) -> None:
    """A hop to the writer takes longer than what one other does; more of them share a commit."""
    async with SQLiteMemoryStore(path) as store:
        await prepare(store)
        lane = store._lanes._quick
        with lane.gate:
            waiting = asyncio.create_task(
                asyncio.to_thread(store._try_append_and_read, "s", row("one"), 1)
            )
            while not lane._queue.locked():
                await asyncio.sleep(0.001)
            assert store._try_append_and_read("s", row("two"), 1) is None
        assert texts(await waiting) == ["one"]
        assert await contents(store) == ["before", "one"]


async def test_a_thread_asks_for_no_more_than_it_needs(path: Path) -> None:
    """The session is looked up once in a commit, and read only if somebody wants to know."""
    async with SQLiteMemoryStore(path) as store:
        await prepare(store)
        connection = store._lanes._quick.connection
        assert connection is not None
        statements: list[str] = []
        connection.set_trace_callback(lambda text: statements.append(text.split()[0]))
        store._try_append_and_read("s", row("one"), 0)
        assert statements == ["BEGIN", "SELECT", "INSERT", "COMMIT"]
        statements.clear()
        store._try_append_and_read("s", row("two"), 1, lambda: row("late"))
        assert statements == ["BEGIN", "SELECT", "INSERT", "INSERT", "SELECT", "COMMIT"]
        connection.set_trace_callback(None)

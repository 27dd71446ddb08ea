"""SQLite stores in processes that fork: each process has connections of its own, or none."""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import goldfish
from goldfish import ChatMessage, SQLiteMemoryStore

# What Python says about forks in processes with threads is just what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


async def contents(store: SQLiteMemoryStore) -> list[object]:
    return [message.content for message in await store.get_history("s")]


def in_child(work: Callable[[], bool]) -> Callable[[], bool]:
    """Fork, do the work in the child; what is returned waits for it and says whether it did."""
    child = os.fork()
    if child == 0:  # in the child only the exit code speaks
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return lambda: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.mark.parametrize("used", [False, True])
def test_a_store_works_on_both_sides_of_a_fork(path: Path, used: bool) -> None:
    """Whether it was only made before, or used; nothing that either writes is lost."""
    store = SQLiteMemoryStore(path)
    if used:
        asyncio.run(store.add_messages("s", said("before")))
        assert asyncio.run(contents(store)) == ["before"]

    async def write(name: str) -> bool:
        for n in range(20):
            await store.add_messages("s", said(f"{name} {n}"))
        return len(await contents(store)) >= 20

    ended = in_child(lambda: asyncio.run(write("child")))
    assert asyncio.run(write("parent"))
    assert ended()
    texts = {f"{name} {n}" for name in ("child", "parent") for n in range(20)}
    assert set(asyncio.run(contents(store))) == texts | ({"before"} if used else set())
    asyncio.run(store.aclose())


def test_what_a_child_writes_survives_its_parents_closing(path: Path) -> None:
    """A child that opened a store of its own holds locks of its own: the log is not cut off."""
    parent = SQLiteMemoryStore(path)
    asyncio.run(parent.add_messages("s", said("before")))
    told, heard = os.pipe(), os.pipe()

    async def write() -> bool:
        async with SQLiteMemoryStore(path) as store:
            await store.add_messages("s", said("one"))
            os.write(told[1], b".")
            os.read(heard[0], 1)  # meanwhile the parent closes
            await store.add_messages("s", said("two"))
        return True

    ended = in_child(lambda: asyncio.run(write()))
    os.read(told[0], 1)
    asyncio.run(parent.aclose())
    os.write(heard[1], b".")
    assert ended()
    for end in (*told, *heard):
        os.close(end)

    async def read() -> list[object]:
        async with SQLiteMemoryStore(path) as store:
            return await contents(store)

    assert asyncio.run(read()) == ["before", "one", "two"]


def test_a_fork_in_the_middle_of_a_call_is_refused_in_the_child(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the same store and by a new one on the file; the parent goes on."""
    monkeypatch.setattr("goldfish.stores.sqlite.forks.HOLD_SECONDS", 0.1)
    store = SQLiteMemoryStore(path)
    asyncio.run(store.add_messages("s", said("before")))
    begun = threading.Event()

    def work(connection: object) -> None:
        begun.set()
        time.sleep(1)

    def write() -> None:
        asyncio.run(store._lanes.write(work))

    def refused(tried: SQLiteMemoryStore) -> bool:
        try:
            asyncio.run(tried.add_messages("s", said("child")))
        except goldfish.MemoryStoreError as error:
            return "while the process forked" in str(error)
        return False

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(10)
    ended = in_child(lambda: refused(store) and refused(SQLiteMemoryStore(path)))
    assert ended()
    writer.join()
    asyncio.run(store.add_messages("s", said("after")))
    assert asyncio.run(contents(store)) == ["before", "after"]
    asyncio.run(store.aclose())

"""The same store for code without an event loop."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.threads import wait_for
from tests.stores.backends import Backend


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


def test_every_method_works_without_a_loop(backend: Backend) -> None:
    """The same calls, the same results, nothing to await."""
    with goldfish.blocking(backend.open()) as store:
        first = said("a")
        store.add_messages("s", [*first, *said("b"), *said("c")])
        assert [m.content for m in store.get_history("s", last=2)] == ["b", "c"]
        assert store.delete_messages("s", [first[0].id]) == 1
        assert store.trim("s", keep_last=1) == 1
        store.set_ttl("s", 60)
        assert (store.get_ttl("s") or 0) > 50
        assert store.list_sessions() == ["s"]
        snapshot = store.save_snapshot("s", label="before")
        store.clear("s")
        store.rollback_to_snapshot("s", snapshot)
        store.fork("s", snapshot, "t")
        assert [m.content for m in store.get_history("t")] == ["c"]
        assert [each.label for each in store.list_snapshots("s")] == ["before"]
        store.delete_snapshot("s", snapshot)
        store.clear("s", snapshots=True)
        store.clear_all()
        assert store.get_history("s") == []


async def test_it_works_inside_a_running_loop(backend: Backend) -> None:
    """Sync code that is called from async code may use it all the same."""
    with goldfish.blocking(backend.open()) as store:
        store.add_messages("s", said("x"))
        assert [m.content for m in store.get_history("s")] == ["x"]


def test_many_threads_share_one_store(backend: Backend) -> None:
    """Nothing is lost between them, and each thread's own order holds."""
    with goldfish.blocking(backend.open()) as store, ThreadPoolExecutor(8) as threads:

        def write(writer: int) -> None:
            for n in range(10):
                store.add_messages("s", said(f"{writer} {n}"))

        list(threads.map(write, range(8)))
        found = [str(m.content) for m in store.get_history("s")]
    assert len(found) == 80
    for writer in range(8):
        own = [text for text in found if text.startswith(f"{writer} ")]
        assert own == [f"{writer} {n}" for n in range(10)]


def test_errors_arrive_as_they_are() -> None:
    """A refused value is refused here too."""
    with (
        goldfish.blocking(goldfish.InMemoryStore()) as store,
        pytest.raises(goldfish.UnstorableError),
    ):
        store.add_messages("s", [ChatMessage(role="u", content="x", metadata={"a": {1}})])


def test_a_closed_one_says_so() -> None:
    """Closing twice is a no-op, using it afterwards an error."""
    store = goldfish.blocking(goldfish.InMemoryStore())
    store.close()
    store.close()
    with pytest.raises(goldfish.MemoryStoreClosedError, match="open a new one"):
        store.get_history("s")


def test_after_a_fork_parent_and_child_go_on(tmp_path: Path) -> None:
    """The child begins a thread of its own; each sees what the other wrote."""
    with goldfish.blocking(goldfish.SQLiteMemoryStore(tmp_path / "memory.db")) as store:
        store.add_messages("s", said("before"))
        child = os.fork()
        if child == 0:  # in the child only the exit code speaks
            try:
                store.add_messages("s", said("child"))
                store.close()
            except BaseException:
                os._exit(1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        store.add_messages("s", said("parent"))
        found = [message.content for message in store.get_history("s")]
        assert found == ["before", "child", "parent"]


async def _answer() -> int:
    return 1


def test_a_process_waits_in_one_loop_and_its_fork_in_another() -> None:
    """Whoever waits needs no thread of its own, in whichever thread or process it is."""
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: wait_for(_answer()), range(20))) == [1] * 20
    child = os.fork()
    if child == 0:  # in the child only the exit code speaks
        os._exit(0 if wait_for(_answer()) == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

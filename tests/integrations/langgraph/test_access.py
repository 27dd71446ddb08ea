"""The two ways to a store: what is written and read by each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("langgraph.checkpoint.base")

import goldfish
from goldfish import ChatMessage
from goldfish.encoding import decode_messages
from goldfish.integrations.langgraph.access import Access, AccessFromThread
from goldfish.integrations.two_ways import run_here
from goldfish.stores.base import Bodies
from goldfish.threads import wait_for


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


def texts(bodies: Bodies) -> list[object]:
    return [each.content for each in decode_messages(bodies)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[goldfish.BlockingMemoryStore]:
    with goldfish.blocking(goldfish.SQLiteMemoryStore(tmp_path / "memory.db")) as made:
        made.add_messages("s", said("first", "before"))
        yield made


@pytest.mark.parametrize("is_here", [True, False])
@pytest.mark.parametrize("is_refused", [True, False])
def test_what_waits_for_a_write_is_written_with_it_once(
    store: goldfish.BlockingMemoryStore,
    monkeypatch: pytest.MonkeyPatch,
    is_here: bool,
    is_refused: bool,
) -> None:
    """Also if the write is not possible in the caller's thread, after all."""
    lanes = store.store._lanes  # type: ignore[attr-defined]
    if is_refused:

        def fail(work: object) -> tuple[bool, None]:
            with lanes.file.connect() as connection:
                connection.execute("BEGIN")
                work(connection)  # type: ignore[operator]
                connection.execute("ROLLBACK")
            return False, None

        monkeypatch.setattr(lanes, "try_write", fail)
    late = said("late")

    def take() -> list[ChatMessage]:
        taken, late[:] = late[:], []
        return taken

    messages = said("new")
    if is_here:
        found = run_here(AccessFromThread(store.store).add_and_read("s", messages, 1, take))
    else:
        found = wait_for(Access(store.store).add_and_read("s", messages, 1, take))
    assert texts(found) == ["before", "new", "late"]
    assert [each.content for each in messages] == ["new", "late"]
    assert [each.content for each in store.get_history("s")] == ["first", "before", "new", "late"]

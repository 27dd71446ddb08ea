"""What an application asks of its store, written down while it runs."""

import json
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from goldfish import ChatMessage, InMemoryStore, MemoryStoreError, UsageError, record
from goldfish.replay.recording import is_recording, load_recording


class Notes:
    """A plain store of somebody's own."""

    limit = 7

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        self.kept += messages
        messages.clear()  # what it was handed is its own now

    def get_history(self, session_id: str) -> list[Any]:
        return list(self.kept)


async def test_every_call_is_a_line_with_its_answer_or_its_error(tmp_path: Path) -> None:
    """The application gets the same answers and the same errors as without it."""
    path = tmp_path / "calls.jsonl"
    async with record(InMemoryStore(), path) as store:
        said = ChatMessage(role="user", content="\ud800 héllo", metadata={"n": 2**70})
        await store.add_messages("ann", [said])
        assert await store.get_history("ann", last=1) == [said]
        with pytest.raises(MemoryStoreError):
            await store.rollback_to_snapshot("ann", "unknown")
    add, read, rollback = load_recording(path)
    assert (add.method, add.arguments, add.result) == ("add_messages", ("ann", [said]), None)
    assert (read.options, read.result) == ({"last": 1}, [said])
    assert rollback.error.startswith("SnapshotNotFound: ")
    assert add.end <= read.start <= read.end
    assert is_recording(path)


def test_a_plain_store_keeps_its_own_ways(tmp_path: Path) -> None:
    """Methods that are not async, other attributes, and arguments that it changes."""
    store = record(Notes(), tmp_path / "calls.jsonl")
    said = ChatMessage(role="user", content="hello")
    store.add_messages("ann", [said])
    assert (store.get_history("ann"), store.limit) == ([said], 7)
    assert load_recording(tmp_path / "calls.jsonl")[0].arguments == ("ann", [said])


def test_threads_share_a_file_and_it_is_for_its_owner_alone(tmp_path: Path) -> None:
    """No line is torn, and another recorder adds to what is there."""
    path = tmp_path / "calls.jsonl"
    stores = [record(Notes(), path) for _ in range(4)]
    said = [[ChatMessage(role="user", content="x" * 9_000)] for _ in range(25)]

    def write(store: Notes) -> None:
        for batch in said:
            store.add_messages("ann", list(batch))

    threads = [threading.Thread(target=write, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(load_recording(path)) == 100
    assert all(json.loads(line) for line in path.read_text().splitlines())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    """Before the application runs for a day without a record."""
    with pytest.raises(UsageError, match="record into another file"):
        record(Notes(), tmp_path / "nowhere" / "calls.jsonl")

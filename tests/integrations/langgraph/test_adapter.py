"""LangGraph's checkpointers behind the methods of a memory, and what goldfish finds in each."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("langgraph.pregel")
pytest.importorskip("langgraph.checkpoint.sqlite")
pytest.importorskip("langgraph.checkpoint.postgres")

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

import goldfish
from goldfish import ChatMessage
from goldfish.harness.local import find_methods
from goldfish.integrations.langgraph.adapter import LangGraphMemory
from tests.integrations.blame import assert_blamed

METHODS = {
    "add_messages", "get_history", "delete_messages", "clear",
    "save_snapshot", "list_snapshots", "rollback_to_snapshot",
}  # fmt: skip
RIGHT = "ISO02 ISO05 FID01 FID12 FID16 FID24 FID25 ORD01 DUP01 CLR01 CLR09 SNP01 SNP02 SNP04 SNP11"
WRONG = "CON04 CON08 CON22 FID06 FID21 SNP07 SNP08"
LACKING = "TRM01 TTL01 ORD11 FID11 CLR07 CLR17 SNP12 SNP13 SNP15 SNP09 DUP02"
FOUND = {
    "langgraph-memory": {
        "held": f"{RIGHT} CLR02",
        "broken": f"{WRONG} CON14",
        "unsupported": f"{LACKING} DUR02 DUR03 CON01 SNP19",
    },
    "langgraph-sqlite": {
        "held": f"{RIGHT} CLR02 DUR02 DUR03 SNP19 SNP23",
        "broken": f"{WRONG} CON01",
        "unsupported": LACKING,
    },
    "langgraph-sqlite-async": {
        "held": f"{RIGHT} DUR02 DUR03 SNP19",
        "broken": f"{WRONG} CON14 CLR02",
        "unsupported": LACKING,
    },
    "langgraph-postgres": {
        "held": "ISO02 FID01 DUR03 CLR02 SNP01 SNP02",
        "broken": "CON04 CON07 SNP07",
        "unsupported": "SNP09 DUP02",
    },
    "langgraph-postgres-async": {
        "held": "ISO02 FID01 DUR03 CLR02 SNP01 SNP02",
        "broken": "CON04 CON07 SNP07",
        "unsupported": "SNP09 DUP02",
    },
}


@pytest.fixture(autouse=True)
def _shrink_in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found matters here, and not how small it can be made."""
    monkeypatch.setattr("goldfish.stress.withstand.SHRINK_SECONDS", 0.2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LangGraphMemory]:
    """A store over a checkpointer in a file."""
    connection = sqlite3.connect(tmp_path / "checkpoints.sqlite", check_same_thread=False)
    yield goldfish.adapt.langgraph(SqliteSaver(connection))
    connection.close()


def batch(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text, id=text) for text in texts]


def contents(messages: list[ChatMessage]) -> list[object]:
    return [each.content for each in messages]


@pytest.mark.parametrize("name", FOUND)
def test_each_checkpointer_is_blamed_for_its_faults_only(name: str) -> None:
    """Turns at once are lost, and unknown checkpoints not refused; round trips and forks hold."""
    expected = {code: said for said, codes in FOUND[name].items() for code in codes.split()}
    assert_blamed(name, expected)


def test_threads_are_written_read_and_deleted(store: LangGraphMemory) -> None:
    """Each session is a thread of its own."""
    store.add_messages("ann", batch("a", "b"))
    store.add_messages("ann", batch("c"))
    store.add_messages("bob", batch("d"))
    assert contents(store.get_history("ann")) == ["a", "b", "c"]
    store.delete_messages("ann", ["b", "nobody's"])
    assert contents(store.get_history("ann")) == ["a", "c"]
    store.clear("ann")
    assert store.get_history("ann") == []
    assert contents(store.get_history("bob")) == ["d"]


def test_a_checkpoint_is_a_snapshot_and_a_fork_goes_back_to_it(store: LangGraphMemory) -> None:
    """The turns of the thread are listed with what it had then, and the fork is one more."""
    store.add_messages("ann", batch("a"))
    first = store.save_snapshot("ann")
    store.add_messages("ann", batch("b", "c"))
    second = store.save_snapshot("ann")
    store.rollback_to_snapshot("ann", first)
    assert contents(store.get_history("ann")) == ["a"]
    listed = store.list_snapshots("ann")
    assert [each.id for each in listed] == [first, second, store.save_snapshot("ann")]
    assert [each.message_count for each in listed] == [1, 3, 1]
    assert [each.created_at for each in listed] == sorted(each.created_at for each in listed)


def test_a_thread_without_turns_has_nothing_to_save(store: LangGraphMemory) -> None:
    """There is no checkpoint to name."""
    with pytest.raises(LookupError, match="add messages first"):
        store.save_snapshot("ann")
    assert store.list_snapshots("ann") == []


async def test_the_async_methods_do_the_same(tmp_path: Path) -> None:
    """The other shape of the same library."""
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.sqlite")) as saver:
        store = goldfish.adapt.langgraph(saver, asynchronous=True)
        await store.add_messages("ann", batch("a", "b"))
        saved = await store.save_snapshot("ann")
        await store.delete_messages("ann", ["a"])
        assert contents(await store.get_history("ann")) == ["b"]
        await store.rollback_to_snapshot("ann", saved)
        assert contents(await store.get_history("ann")) == ["a", "b"]
        assert [each.message_count for each in await store.list_snapshots("ann")] == [2, 1, 2]
        await store.clear("ann")
        assert await store.get_history("ann") == []


def test_a_power_that_the_checkpointer_lacks_is_no_method() -> None:
    """One that cannot delete a thread is not asked to clear a session."""

    class Undeletable(InMemorySaver):
        delete_thread = BaseCheckpointSaver.delete_thread  # which only names it
        adelete_thread = BaseCheckpointSaver.adelete_thread

    for asynchronous in (False, True):
        whole = goldfish.adapt.langgraph(InMemorySaver(), asynchronous=asynchronous)
        assert set(find_methods(whole)) == METHODS
        part = goldfish.adapt.langgraph(Undeletable(), asynchronous=asynchronous)
        assert set(find_methods(part)) == METHODS - {"clear"}
        assert part.carries == set(ChatMessage.model_fields) - {"created_at"}

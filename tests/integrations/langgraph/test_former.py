"""Threads that a former version wrote: each checkpoint as a whole, in a session of its own."""

import base64
from typing import Any

import pytest

pytest.importorskip("langgraph.checkpoint.base")

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

import goldfish
from goldfish.dropins.langgraph import Saver, TurnOvertakenError
from goldfish.integrations.langgraph.adapter import NODE, make_graph
from goldfish.integrations.langgraph.records import PREFIX, Line
from goldfish.messages import ChatMessage
from tests.integrations.langgraph.test_saver import put, said, started, texts, thread, values_of
from tests.stores.backends import Backend

LINE = Line("t", "")
SERDE = JsonPlusSerializer()


def packed(value: Any) -> list[str]:
    kind, data = SERDE.dumps_typed(value)
    return [kind, base64.b64encode(data).decode()]


async def write_former(
    store: Any, parent: str | None, values: dict[str, Any], *, step: int = 0
) -> str:
    """Write a checkpoint with one write, as version 0.4 did; return its id."""
    versions = dict.fromkeys(values, 1)
    checkpoint: Any = empty_checkpoint()
    checkpoint |= {"channel_values": values, "channel_versions": versions}
    (kind, text), about = packed(checkpoint), packed({"source": "loop", "step": step})
    name: str = checkpoint["id"]
    known = {"type": kind, "parent": parent, "metadata": about}
    kind, value = packed("hello")
    write = {"task": "task", "index": 0, "channel": "n", "path": "", "type": kind}
    await store.add_messages(
        LINE.at(name),
        [
            ChatMessage(role="checkpoint", content=text, metadata=known),
            ChatMessage(role="write", content=value, id='["write", "task", 0]', metadata=write),
        ],
    )
    entry = {"parent": parent, "run": f"run{step}", "continues": True}
    message = ChatMessage(role="checkpoint", content=name, id=f"turn:{name}", metadata=entry)
    await store.add_messages(LINE.session, [message])
    return name


async def test_a_former_thread_is_read_and_continued(durable: Backend) -> None:
    """Its checkpoints come back with their writes, and the next turns go on from there."""
    async with durable.open() as store:
        first = await write_former(store, None, dict(said("a")), step=1)
        second = await write_former(store, first, dict(said("a", "b")), step=2)
        saver = Saver(store)
        found = [each async for each in saver.alist(thread())]
        assert [each.checkpoint["id"] for each in found] == [second, first]
        assert [each.pending_writes for each in found] == [[("task", "n", "hello")]] * 2
        graph = make_graph(saver)
        for reader in (graph, make_graph(Saver(store))):
            assert texts(await reader.aget_state(thread())) == ["a", "b"]
        await graph.aupdate_state(thread(), said("c"), as_node=NODE)
        await graph.ainvoke(said("d"), thread())
        branch = thread(checkpoint_ns="", checkpoint_id=first)
        assert texts(await make_graph(Saver(store)).aget_state(thread())) == ["a", "b", "c", "d"]
        await graph.aupdate_state(branch, said("x"), as_node=NODE)
        assert texts(await graph.aget_state(thread())) == ["a", "x"]
        await saver.acopy_thread("t", "copy")
        await saver.adelete_thread("t")
        assert await store.list_sessions(PREFIX) == [Line("copy", "").session]
        copied = [each async for each in saver.alist(thread("copy"))]
        assert copied[-1].checkpoint["channel_values"] == said("a")
        assert copied[-1].pending_writes == [("task", "n", "hello")]


async def test_a_former_thread_is_pruned_and_its_runs_deleted() -> None:
    """What is removed is gone from both places, and what stays still stands."""
    store = goldfish.InMemoryStore()
    saver, parent = Saver(store), None
    for step in (1, 2, 3):
        parent = await write_former(store, parent, {"n": step}, step=step)
    await saver.adelete_for_runs(["run2"])
    assert [values_of(each) async for each in saver.alist(thread())] == [3, 1]
    await saver.aprune(["t"])
    assert [values_of(each) async for each in saver.alist(thread())] == [3]
    assert set(await store.list_sessions(PREFIX)) == {LINE.session, LINE.at(str(parent))}
    await store.aclose()


def test_an_entry_whose_checkpoint_was_deleted_is_cleared_out_of_the_way() -> None:
    """A deletion by a former version may have removed only the checkpoint."""
    with goldfish.blocking(goldfish.InMemoryStore()) as store:
        first = store._call(write_former(store.store, None, {"n": 1}))
        second = store._call(write_former(store.store, first, {"n": 2}))
        saver = Saver(store)
        store.clear(LINE.at(second))
        assert values_of(saver.get_tuple(thread())) == 1
        with pytest.raises(TurnOvertakenError):
            put(saver, started(saver, thread()), 3)
        put(saver, started(saver, thread()), 3)
        assert [values_of(each) for each in saver.list(thread())] == [3, 1]

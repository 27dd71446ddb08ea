"""A checkpointer of LangGraph as a store: a thread is a session, and a turn of a graph adds to it.

The graph has one node, which adds nothing of its own, so that a turn adds exactly its input.

| ours                   | LangGraph's                                                             |
|------------------------|-------------------------------------------------------------------------|
| ``add_messages``       | one ``invoke`` of the graph on the thread                               |
| ``get_history``        | ``messages`` of ``get_state``                                           |
| ``delete_messages``    | ``update_state`` with a ``RemoveMessage`` for each                      |
| ``clear``              | ``delete_thread``, if the checkpointer has it                           |
| ``save_snapshot``      | the id of the latest checkpoint, which is there already                 |
| ``list_snapshots``     | ``get_state_history``, without the checkpoints in the middle of a turn  |
| ``rollback_to_snapshot`` | a fork: ``update_state`` at the old checkpoint, which adds nothing    |
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, overload

from langchain_core.messages import BaseMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import StateSnapshot

from goldfish.integrations.langchain.messages import from_langchain, to_langchain
from goldfish.integrations.mirrored_list import mirror
from goldfish.integrations.times import NO_TIME
from goldfish.integrations.two_ways import TwoWays, in_sync
from goldfish.messages import ChatMessage, Snapshot
from goldfish.targets.declaration import MESSAGE_FIELDS

NODE = "listen"
NOTHING: dict[str, list[BaseMessage]] = {"messages": []}


def make_graph(saver: BaseCheckpointSaver[Any]) -> Any:
    """Return a graph whose turn adds its input to the thread, and nothing of its own."""
    graph = StateGraph(MessagesState)
    graph.add_node(NODE, lambda state: NOTHING)
    graph.add_edge(START, NODE)
    graph.add_edge(NODE, END)
    return graph.compile(checkpointer=saver)


class _Threads(TwoWays):
    """What threads keep of a message and what they do not promise, whatever the checkpointer."""

    carries = MESSAGE_FIELDS - {"created_at"}  # LangChain's messages have no place for a time
    declines: Mapping[str, str] = {
        "DUP02": "add_messages replaces the message whose id it is given, as documented",
        "SNP09": "delete_thread deletes all checkpoints of the thread, as documented",
    }

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._saver = saver
        self._graph = make_graph(saver)
        delete = "adelete_thread" if self.asynchronous else "delete_thread"
        if _has(saver, delete):
            self.clear = getattr(saver, delete)

    async def _state(self, session_id: str) -> StateSnapshot:
        graph = self._graph
        state: StateSnapshot = await self._call(
            graph.get_state, graph.aget_state, thread(session_id)
        )
        return state

    async def _update(self, place: RunnableConfig, values: Any) -> None:
        graph = self._graph
        await self._call(graph.update_state, graph.aupdate_state, place, values, as_node=NODE)


class AsyncLangGraphMemory(_Threads):
    """The store that awaits a checkpointer through the async methods of a graph."""

    asynchronous = True

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread, with the batch as its input."""
        graph = self._graph
        await self._call(graph.invoke, graph.ainvoke, batch(messages), thread(session_id))

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return the messages in the latest state; an edit of this list edits LangGraph's."""
        found = (await self._state(session_id)).values.get("messages", [])
        return mirror(found, from_langchain, to_langchain)

    async def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the state with a removal for each of these messages that is there."""
        found = (await self._state(session_id)).values.get("messages", [])
        if doomed := _removals(ids, {each.id for each in found}):
            await self._update(thread(session_id), doomed)

    async def save_snapshot(self, session_id: str) -> str:
        """Return the id of the latest checkpoint."""
        return _checkpoint_of(await self._state(session_id))

    async def list_snapshots(self, session_id: str) -> list[Snapshot]:
        """Return the checkpoints at which a turn had ended, the oldest first."""
        place = thread(session_id)
        if self.asynchronous:
            states = [each async for each in self._graph.aget_state_history(place)]
        else:
            states = list(self._graph.get_state_history(place))
        return [_snapshot(session_id, each) for each in reversed(states) if not each.next]

    async def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Fork the thread at the checkpoint; the fork is its latest state from then on."""
        await self._update(thread(session_id, snapshot_id), NOTHING)


class LangGraphMemory(_Threads):
    """The store that calls a checkpointer through the sync methods of a graph."""

    threads = True  # a graph and its checkpointer are shared by the threads of a server

    add_messages = in_sync(AsyncLangGraphMemory.add_messages)
    get_history = in_sync(AsyncLangGraphMemory.get_history)
    delete_messages = in_sync(AsyncLangGraphMemory.delete_messages)
    save_snapshot = in_sync(AsyncLangGraphMemory.save_snapshot)
    list_snapshots = in_sync(AsyncLangGraphMemory.list_snapshots)
    rollback_to_snapshot = in_sync(AsyncLangGraphMemory.rollback_to_snapshot)


@overload
def langgraph(
    saver: BaseCheckpointSaver[Any], *, asynchronous: Literal[False] = False
) -> LangGraphMemory: ...


@overload
def langgraph(
    saver: BaseCheckpointSaver[Any], *, asynchronous: Literal[True]
) -> AsyncLangGraphMemory: ...


def langgraph(
    saver: BaseCheckpointSaver[Any], *, asynchronous: bool = False
) -> LangGraphMemory | AsyncLangGraphMemory:
    """Return a store over a checkpointer of LangGraph, driven by turns of a graph with one node.

    ``asynchronous=True`` awaits the async methods of the graph and of the checkpointer instead.
    """
    return AsyncLangGraphMemory(saver) if asynchronous else LangGraphMemory(saver)


def _has(saver: BaseCheckpointSaver[Any], method: str) -> bool:
    """Return True if the checkpointer implements a method that its base class only names."""
    return getattr(type(saver), method, None) is not getattr(BaseCheckpointSaver, method, None)


def thread(session_id: str, checkpoint_id: str | None = None) -> RunnableConfig:
    """Return the configuration that names a thread, or a checkpoint of it."""
    at = {"checkpoint_ns": "", "checkpoint_id": checkpoint_id} if checkpoint_id is not None else {}
    return {"configurable": {"thread_id": session_id, **at}}


def batch(messages: Sequence[ChatMessage]) -> dict[str, list[BaseMessage]]:
    """Return the input of a turn."""
    return {"messages": [to_langchain(each) for each in messages]}


def _removals(ids: Sequence[str], there: set[str]) -> dict[str, list[RemoveMessage]] | None:
    """Return the removals of the messages that exist: LangGraph refuses all if one does not."""
    known = [each for each in dict.fromkeys(ids) if each in there]
    return {"messages": [RemoveMessage(id=each) for each in known]} if known else None


def _checkpoint_of(state: StateSnapshot) -> str:
    """Return the id of the state's checkpoint; a thread has none before its first turn."""
    found = state.config.get("configurable", {}).get("checkpoint_id")
    if found is None:
        raise LookupError("the thread has no checkpoint: add messages first")
    return str(found)


def _snapshot(session_id: str, state: StateSnapshot) -> Snapshot:
    return Snapshot(
        id=_checkpoint_of(state),
        session_id=session_id,
        created_at=datetime.fromisoformat(state.created_at) if state.created_at else NO_TIME,
        message_count=len(state.values.get("messages", [])),
    )

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

from collections.abc import Iterable, Mapping, Sequence
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


class _Threads:
    """What threads keep of a message and what they do not promise, whatever the checkpointer."""

    carries = MESSAGE_FIELDS - {"created_at"}  # LangChain's messages have no place for a time
    declines: Mapping[str, str] = {
        "DUP02": "add_messages replaces the message whose id it is given, as documented",
        "SNP09": "delete_thread deletes all checkpoints of the thread, as documented",
    }

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._saver = saver
        self._graph = make_graph(saver)


class LangGraphMemory(_Threads):
    """The store that calls a checkpointer through the sync methods of a graph."""

    threads = True  # a graph and its checkpointer are shared by the threads of a server

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(saver)
        if _has(saver, "delete_thread"):
            self.clear = saver.delete_thread

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread, with the batch as its input."""
        self._graph.invoke(batch(messages), thread(session_id))

    def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return the messages in the latest state of the thread."""
        return _messages_of(self._graph.get_state(thread(session_id)))

    def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the state with a removal for each of these messages that is there."""
        there = {each.id for each in self.get_history(session_id)}
        if doomed := _removals(ids, there):
            self._graph.update_state(thread(session_id), doomed, as_node=NODE)

    def save_snapshot(self, session_id: str) -> str:
        """Return the id of the latest checkpoint."""
        return _checkpoint_of(self._graph.get_state(thread(session_id)))

    def list_snapshots(self, session_id: str) -> list[Snapshot]:
        """Return the checkpoints at which a turn had ended, the oldest first."""
        history = self._graph.get_state_history(thread(session_id))
        return _snapshots(session_id, history)

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Fork the thread at the checkpoint; the fork is its latest state from then on."""
        self._graph.update_state(thread(session_id, snapshot_id), NOTHING, as_node=NODE)


class AsyncLangGraphMemory(_Threads):
    """The store that awaits a checkpointer through the async methods of a graph."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(saver)
        if _has(saver, "adelete_thread"):
            self.clear = saver.adelete_thread

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread, with the batch as its input."""
        await self._graph.ainvoke(batch(messages), thread(session_id))

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return the messages in the latest state of the thread."""
        return _messages_of(await self._graph.aget_state(thread(session_id)))

    async def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the state with a removal for each of these messages that is there."""
        there = {each.id for each in await self.get_history(session_id)}
        if doomed := _removals(ids, there):
            await self._graph.aupdate_state(thread(session_id), doomed, as_node=NODE)

    async def save_snapshot(self, session_id: str) -> str:
        """Return the id of the latest checkpoint."""
        return _checkpoint_of(await self._graph.aget_state(thread(session_id)))

    async def list_snapshots(self, session_id: str) -> list[Snapshot]:
        """Return the checkpoints at which a turn had ended, the oldest first."""
        history = self._graph.aget_state_history(thread(session_id))
        return _snapshots(session_id, [each async for each in history])

    async def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Fork the thread at the checkpoint; the fork is its latest state from then on."""
        await self._graph.aupdate_state(thread(session_id, snapshot_id), NOTHING, as_node=NODE)


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


def _messages_of(state: StateSnapshot) -> list[ChatMessage]:
    """Return the messages of a state; an edit of this list edits the one that LangGraph gave."""
    return mirror(state.values.get("messages", []), from_langchain, to_langchain)


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


def _snapshots(session_id: str, newest_first: Iterable[StateSnapshot]) -> list[Snapshot]:
    ended = [each for each in newest_first if not each.next]
    return [_snapshot(session_id, each) for each in reversed(ended)]


def _snapshot(session_id: str, state: StateSnapshot) -> Snapshot:
    return Snapshot(
        id=_checkpoint_of(state),
        session_id=session_id,
        created_at=datetime.fromisoformat(state.created_at) if state.created_at else NO_TIME,
        message_count=len(state.values.get("messages", [])),
    )

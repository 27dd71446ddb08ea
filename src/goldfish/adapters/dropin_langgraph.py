"""The adapter of LangGraph over our own checkpointer: a turn that was overtaken is taken again.

Turns are written when they end (``durability="exit"``), as is right for threads on which several
may be taken at once: nobody continues from the middle of another one's turn.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Sequence

from goldfish.adapters.langgraph import (
    NODE,
    NOTHING,
    AsyncLangGraphMemory,
    LangGraphMemory,
    batch,
    thread,
)
from goldfish.bridge import BlockingMemoryStore
from goldfish.dropins.langgraph import Saver, TurnOvertakenError
from goldfish.messages import ChatMessage
from goldfish.stores.base import BaseStore

MOST_TURNS = 1000  # each time, somebody else's turn has come through
LONGEST_PAUSE = 0.02


class PatientLangGraphMemory(LangGraphMemory):
    """The store that calls the checkpointer through the sync methods of a graph."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread, again if it was overtaken: its messages have ids."""
        for _ in range(MOST_TURNS):
            try:
                self._graph.invoke(batch(messages), thread(session_id), durability="exit")
                return
            except TurnOvertakenError as error:
                overtaken = error
                time.sleep(_pause())
        raise overtaken

    def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the latest state, again if it was not the latest any more."""
        for _ in range(MOST_TURNS):
            try:
                return super().delete_messages(session_id, ids)
            except TurnOvertakenError as error:
                overtaken = error
                time.sleep(_pause())
        raise overtaken

    def save_snapshot(self, session_id: str) -> str:
        """The id of the latest checkpoint; a thread without one gets an empty one."""
        try:
            return super().save_snapshot(session_id)
        except LookupError:
            with contextlib.suppress(TurnOvertakenError):
                self._graph.update_state(thread(session_id), NOTHING, as_node=NODE)
            return super().save_snapshot(session_id)


class PatientAsyncLangGraphMemory(AsyncLangGraphMemory):
    """The store that awaits the checkpointer through the async methods of a graph."""

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread, again if it was overtaken: its messages have ids."""
        for _ in range(MOST_TURNS):
            try:
                await self._graph.ainvoke(batch(messages), thread(session_id), durability="exit")
                return
            except TurnOvertakenError as error:
                overtaken = error
                await asyncio.sleep(_pause())
        raise overtaken

    async def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the latest state, again if it was not the latest any more."""
        for _ in range(MOST_TURNS):
            try:
                return await super().delete_messages(session_id, ids)
            except TurnOvertakenError as error:
                overtaken = error
                await asyncio.sleep(_pause())
        raise overtaken

    async def save_snapshot(self, session_id: str) -> str:
        """The id of the latest checkpoint; a thread without one gets an empty one."""
        try:
            return await super().save_snapshot(session_id)
        except LookupError:
            with contextlib.suppress(TurnOvertakenError):
                await self._graph.aupdate_state(thread(session_id), NOTHING, as_node=NODE)
            return await super().save_snapshot(session_id)


def memory(store: BlockingMemoryStore) -> PatientLangGraphMemory:
    """The store that takes turns with the sync methods of our checkpointer."""
    return PatientLangGraphMemory(Saver(store))


def async_memory(store: BaseStore) -> PatientAsyncLangGraphMemory:
    """The store that takes turns with the async methods of our checkpointer."""
    return PatientAsyncLangGraphMemory(Saver(store))


def _pause() -> float:
    """A moment that differs from caller to caller, so that they do not meet again."""
    return random.uniform(0, LONGEST_PAUSE)

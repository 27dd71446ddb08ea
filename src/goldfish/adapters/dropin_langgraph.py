"""The adapter of LangGraph over our own checkpointer: a turn that was overtaken is taken again."""

import asyncio
import random
import time
from collections.abc import Sequence

from goldfish.adapters.langgraph import AsyncLangGraphMemory, LangGraphMemory
from goldfish.bridge import BlockingMemoryStore
from goldfish.dropins.langgraph import Saver, TurnOvertakenError
from goldfish.messages import ChatMessage
from goldfish.stores.base import BaseStore

MOST_TURNS = 200  # each time somebody else's turn has come through: a crowd is served in the end
LONGEST_PAUSE = 0.02


class PatientLangGraphMemory(LangGraphMemory):
    """The store that calls the checkpointer through the sync methods of a graph."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread, again if it was overtaken: its messages have ids."""
        for _ in range(MOST_TURNS):
            try:
                return super().add_messages(session_id, messages)
            except TurnOvertakenError:
                time.sleep(_pause())
        return super().add_messages(session_id, messages)

    def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the latest state, again if it was not the latest any more."""
        for _ in range(MOST_TURNS):
            try:
                return super().delete_messages(session_id, ids)
            except TurnOvertakenError:
                time.sleep(_pause())
        return super().delete_messages(session_id, ids)


class PatientAsyncLangGraphMemory(AsyncLangGraphMemory):
    """The store that awaits the checkpointer through the async methods of a graph."""

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread, again if it was overtaken: its messages have ids."""
        for _ in range(MOST_TURNS):
            try:
                return await super().add_messages(session_id, messages)
            except TurnOvertakenError:
                await asyncio.sleep(_pause())
        return await super().add_messages(session_id, messages)

    async def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the latest state, again if it was not the latest any more."""
        for _ in range(MOST_TURNS):
            try:
                return await super().delete_messages(session_id, ids)
            except TurnOvertakenError:
                await asyncio.sleep(_pause())
        return await super().delete_messages(session_id, ids)


def memory(store: BlockingMemoryStore) -> PatientLangGraphMemory:
    """The store that takes turns with the sync methods of our checkpointer."""
    return PatientLangGraphMemory(Saver(store))


def async_memory(store: BaseStore) -> PatientAsyncLangGraphMemory:
    """The store that takes turns with the async methods of our checkpointer."""
    return PatientAsyncLangGraphMemory(Saver(store))


def _pause() -> float:
    """A moment that differs from caller to caller, so that they do not meet again."""
    return random.uniform(0, LONGEST_PAUSE)

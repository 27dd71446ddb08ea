"""Our own checkpointer for LangGraph as targets: a turn that was overtaken is taken again.

Turns are written when they end (``durability="exit"``), as is right for threads on which several
may be taken at once: nobody continues from the middle of another one's turn.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import goldfish
from goldfish.adapters.langgraph import (
    NODE,
    NOTHING,
    AsyncLangGraphMemory,
    LangGraphMemory,
    batch,
    thread,
)
from goldfish.dropins.langgraph import Saver, TurnOvertakenError
from goldfish.messages import ChatMessage
from goldfish.target import target

FILE = "memory.db"
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


@target(name="dropin-langgraph")
def sqlite(sandbox: Any, *, ttl: float | None = None) -> Iterator[PatientLangGraphMemory]:
    """Threads on a SQLite file, by their sync methods."""
    with goldfish.blocking(goldfish.SQLiteMemoryStore(sandbox.path / FILE, ttl=ttl)) as store:
        yield PatientLangGraphMemory(Saver(store))


@target(name="dropin-langgraph-redis", services=["redis"])
async def redis(
    sandbox: Any, *, ttl: float | None = None
) -> AsyncIterator[PatientAsyncLangGraphMemory]:
    """Threads on Redis, by their async methods."""
    async with goldfish.RedisMemoryStore(sandbox.redis_url, ttl=ttl) as store:
        yield PatientAsyncLangGraphMemory(Saver(store))


@target(name="dropin-langgraph-postgres", services=["postgres"])
async def postgres(
    sandbox: Any, *, ttl: float | None = None
) -> AsyncIterator[PatientAsyncLangGraphMemory]:
    """Threads on PostgreSQL, by their async methods."""
    async with goldfish.PostgresMemoryStore(sandbox.postgres_dsn, ttl=ttl) as store:
        yield PatientAsyncLangGraphMemory(Saver(store))


def _pause() -> float:
    """A moment that differs from caller to caller, so that they do not meet again."""
    return random.uniform(0, LONGEST_PAUSE)

"""Our checkpointer for LangGraph as targets, which retry a turn that was overtaken.

Turns are written when they end (``durability="exit"``), as is right for threads with concurrent
turns: no turn then continues from the middle of another.
"""

import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import goldfish
from goldfish.integrations.langgraph.adapter import (
    NODE,
    NOTHING,
    AsyncLangGraphMemory,
    LangGraphMemory,
    batch,
    thread,
)
from goldfish.integrations.langgraph.saver import Saver
from goldfish.integrations.langgraph.threads import TurnOvertakenError
from goldfish.integrations.langgraph.turns import Turns
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import target

FILE = "memory.db"
DECLINES = {
    **LangGraphMemory.declines,
    "FLT13": "a turn is several calls, and none survives connections that are cut all the time",
}


class PatientLangGraphMemory(LangGraphMemory):
    """The store that calls the checkpointer through the sync methods of a graph."""

    declines = DECLINES

    def __init__(self, saver: Saver) -> None:
        super().__init__(saver)
        self._turns = Turns()

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread; a retry adds nothing twice, as messages have ids."""
        given, place = batch(messages), thread(session_id)
        self._turns.take(session_id, lambda: self._graph.invoke(given, place, durability="exit"))

    def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the latest state with a removal for each of these messages that is there."""
        delete = super().delete_messages
        self._turns.take(session_id, lambda: delete(session_id, ids))

    def save_snapshot(self, session_id: str) -> str:
        """Return the id of the latest checkpoint; a thread without one gets an empty one."""
        try:
            return super().save_snapshot(session_id)
        except LookupError:
            with contextlib.suppress(TurnOvertakenError):
                self._graph.update_state(thread(session_id), NOTHING, as_node=NODE)
            return super().save_snapshot(session_id)


class PatientAsyncLangGraphMemory(AsyncLangGraphMemory):
    """The store that awaits the checkpointer through the async methods of a graph."""

    declines = DECLINES

    def __init__(self, saver: Saver) -> None:
        super().__init__(saver)
        self._turns = Turns()

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn on the thread; a retry adds nothing twice, as messages have ids."""
        given, place = batch(messages), thread(session_id)
        await self._turns.atake(
            session_id, lambda: self._graph.ainvoke(given, place, durability="exit")
        )

    async def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Update the latest state with a removal for each of these messages that is there."""
        delete = super().delete_messages
        await self._turns.atake(session_id, lambda: delete(session_id, ids))

    async def save_snapshot(self, session_id: str) -> str:
        """Return the id of the latest checkpoint; a thread without one gets an empty one."""
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

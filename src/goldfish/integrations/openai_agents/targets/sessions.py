"""The sessions that come with the OpenAI Agents SDK, as targets."""

import asyncio
import fcntl
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agents.memory import Session, SQLiteSession

from goldfish.integrations.openai_agents import OPENAI_AGENTS
from goldfish.integrations.openai_agents.adapter import OpenAIAgentsMemory

KEPT_OPEN = 32  # idle sessions: each has connections of its own
KEY = "a key of the tests, which protects nothing"
TEN_YEARS = 315_360_000


@OPENAI_AGENTS.target("openai-agents-sqlite")
async def sqlite(sandbox: Any) -> AsyncIterator[OpenAIAgentsMemory]:
    """SQLiteSession on a file."""
    path = sandbox.path / "memory.db"
    async with _sessions(lambda session_id: SQLiteSession(session_id, path)) as memory:
        yield memory


@OPENAI_AGENTS.target("openai-agents-async-sqlite")
async def async_sqlite(sandbox: Any) -> AsyncIterator[OpenAIAgentsMemory]:
    """AsyncSQLiteSession on a file."""
    from agents.extensions.memory import AsyncSQLiteSession

    path = sandbox.path / "memory.db"
    async with _sessions(lambda session_id: AsyncSQLiteSession(session_id, path)) as memory:
        yield memory


@OPENAI_AGENTS.target("openai-agents-sqlalchemy")
async def sqlalchemy(sandbox: Any) -> AsyncIterator[OpenAIAgentsMemory]:
    """SQLAlchemySession on a SQLite file, with one engine for all sessions."""
    from agents.extensions.memory import SQLAlchemySession
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(f"sqlite+aiosqlite:///{sandbox.path / 'memory.db'}")
    tables = _OneProcessFirst(sandbox.path / "tables.lock")

    @asynccontextmanager
    async def session_of(session_id: str) -> AsyncIterator[Session]:
        async with tables:
            yield SQLAlchemySession(session_id, engine=engine, create_tables=True)

    yield OpenAIAgentsMemory(session_of)
    tables.close()
    await engine.dispose()


@OPENAI_AGENTS.target("openai-agents-advanced")
async def advanced(sandbox: Any) -> AsyncIterator[OpenAIAgentsMemory]:
    """AdvancedSQLiteSession on a file: branches and usage beside the messages."""
    from agents.extensions.memory import AdvancedSQLiteSession

    path = sandbox.path / "memory.db"

    def session_of(session_id: str) -> Session:
        return AdvancedSQLiteSession(session_id=session_id, db_path=path, create_tables=True)

    async with _sessions(session_of) as memory:
        yield memory


@OPENAI_AGENTS.target("openai-agents-redis", services=["redis"])
async def redis(sandbox: Any, *, ttl: int | None = None) -> AsyncIterator[OpenAIAgentsMemory]:
    """RedisSession, with one client for all sessions; its expiry is in whole seconds."""
    from agents.extensions.memory import RedisSession
    from redis.asyncio import Redis

    client = Redis.from_url(sandbox.redis_url)
    yield OpenAIAgentsMemory(
        lambda session_id: RedisSession(session_id, redis_client=client, ttl=ttl)
    )
    await client.aclose()


@OPENAI_AGENTS.target("openai-agents-encrypted")
async def encrypted(sandbox: Any) -> AsyncIterator[OpenAIAgentsMemory]:
    """EncryptedSession around SQLiteSession; its messages expire one by one, in ten years."""
    from agents.extensions.memory import EncryptedSession

    path = sandbox.path / "memory.db"

    def session_of(session_id: str) -> Session:
        within = SQLiteSession(session_id, path)
        return EncryptedSession(session_id, within, encryption_key=KEY, ttl=TEN_YEARS)

    async with _sessions(session_of) as memory:
        yield memory


class _OneProcessFirst:
    """A lock that lets one process at a time make its first calls, which may be concurrent.

    Where several processes share a database, the SDK's documentation leaves creating the tables
    to migrations: ``create_tables`` is "for development and testing".
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._turn: asyncio.Future[None] | None = None

    async def __aenter__(self) -> None:
        if self._turn is None:
            waiting = asyncio.to_thread(fcntl.flock, self._file, fcntl.LOCK_EX)
            self._turn = asyncio.ensure_future(waiting)
        await asyncio.shield(self._turn)

    async def __aexit__(self, *_: object) -> None:
        self.close()  # later calls need not wait

    def close(self) -> None:
        """Close the file, which releases the lock."""
        self._file.close()


class _OpenSessions:
    """A pool of open sessions, each lent to one call at a time.

    Concurrent calls thus have sessions of their own, as the requests of a service have.
    """

    def __init__(self, make: Callable[[str], Session]) -> None:
        self._make = make
        self._idle: list[tuple[str, Session]] = []  # the most recently used last

    @asynccontextmanager
    async def lend(self, session_id: str) -> AsyncIterator[Session]:
        """Lend a session with that id, which no other call uses meanwhile."""
        session = self._take_idle(session_id) or self._make(session_id)
        try:
            yield session
        finally:
            self._idle.append((session_id, session))
            await self.close_idle(KEPT_OPEN)

    def _take_idle(self, session_id: str) -> Session | None:
        places = (i for i, (known, _) in enumerate(self._idle) if known == session_id)
        place = next(places, None)
        return None if place is None else self._idle.pop(place)[1]

    async def close_idle(self, kept: int) -> None:
        """Close the least recently used sessions until ``kept`` are left."""
        while len(self._idle) > kept:
            closed: Any = self._idle.pop(0)[1]
            closing = closed.close()
            if inspect.isawaitable(closing):
                await closing


@asynccontextmanager
async def _sessions(make: Callable[[str], Session]) -> AsyncIterator[OpenAIAgentsMemory]:
    sessions = _OpenSessions(make)
    yield OpenAIAgentsMemory(sessions.lend)
    await sessions.close_idle(0)

"""The SQL histories of LangChain's targets, and the ids of their sessions."""

import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid5

with warnings.catch_warnings():
    # LangChain warns once per process that this is deprecated, which its checker knows.
    warnings.simplefilter("ignore")
    from langchain_community.chat_message_histories import SQLChatMessageHistory

from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import create_async_engine

OPEN_AT_ONCE = 64  # cached histories: each queries its server when it is made
FILE = "memory.db"
SESSIONS = UUID("6f4b1cf2-67a5-5c1e-9c1c-5f3cf0a8a1d4")  # any constant

SQLHistoryOf = Callable[[str], SQLChatMessageHistory]


@contextmanager
def sql_histories(sandbox: Any) -> Iterator[SQLHistoryOf]:
    """Yield a function that gives a session's history, in a table of a SQLite file."""
    engine = create_engine(f"sqlite:///{sandbox.path / FILE}")
    yield _histories(engine)
    engine.dispose()


@asynccontextmanager
async def async_sql_histories(sandbox: Any) -> AsyncIterator[SQLHistoryOf]:
    """Yield the same function over an async engine."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{sandbox.path / FILE}")
    yield _histories(engine)
    await engine.dispose()


def session_uuid(session_id: str) -> str:
    """Return the UUID for a session, where ids must be UUIDs; no two sessions share one."""
    return str(uuid5(SESSIONS, session_id.encode("utf-8", "surrogatepass").hex()))


def _histories(engine: Any) -> SQLHistoryOf:
    @lru_cache(OPEN_AT_ONCE)
    def history_of(session_id: str) -> SQLChatMessageHistory:
        return SQLChatMessageHistory(session_id, connection=engine)

    return history_of

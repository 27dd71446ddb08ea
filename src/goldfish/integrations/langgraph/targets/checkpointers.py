"""The checkpointers that come with LangGraph, as targets."""

import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from psycopg import AsyncConnection, Connection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from goldfish.integrations import documented as promises
from goldfish.integrations.langgraph.adapter import AsyncLangGraphMemory, LangGraphMemory
from goldfish.targets.declaration import target

FILE = "checkpoints.sqlite"
# What the documentation asks of connections that are not made by the checkpointer itself.
CONNECTION = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
# A pool that notices what broke, and does not wait for minutes before it tries again.
POOL: dict[str, Any] = {
    "kwargs": CONNECTION,
    "min_size": 1,
    "max_size": 4,
    "timeout": 5.0,
    "reconnect_timeout": 1.0,
    "open": False,
}
# Else the pool's warnings of what was done to its server stand between the lines of the report.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())


# "Only use InMemorySaver for debugging or testing purposes": nobody else sees what it holds.
@target(name="langgraph-memory", claims="one opening", promises=promises.LANGGRAPH_MEMORY)
def memory(sandbox: Any) -> AsyncLangGraphMemory:
    """A dict in the process."""
    return AsyncLangGraphMemory(InMemorySaver())


@target(
    name="langgraph-sqlite",
    promises=promises.LANGGRAPH_SQLITE,
    documented={"CON": promises.LANGGRAPH_SQLITE},
)
def sqlite(sandbox: Any) -> Iterator[LangGraphMemory]:
    """A SQLite file, with one connection that the threads of the process share."""
    with SqliteSaver.from_conn_string(str(sandbox.path / FILE)) as saver:
        yield LangGraphMemory(saver)


@target(name="langgraph-sqlite-async", promises=promises.LANGGRAPH_SQLITE_ASYNC)
async def sqlite_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphMemory]:
    """A SQLite file, with one connection."""
    async with AsyncSqliteSaver.from_conn_string(str(sandbox.path / FILE)) as saver:
        yield AsyncLangGraphMemory(saver)


@target(name="langgraph-postgres", services=["postgres"], promises=promises.LANGGRAPH_POSTGRES)
def postgres(sandbox: Any) -> Iterator[LangGraphMemory]:
    """PostgreSQL through a pool, which replaces the connections that break."""
    pool: ConnectionPool[Connection[DictRow]] = ConnectionPool(
        sandbox.postgres_dsn, check=ConnectionPool.check_connection, **POOL
    )
    with pool:
        saver = PostgresSaver(pool)
        saver.setup()
        yield LangGraphMemory(saver)


@target(
    name="langgraph-postgres-async",
    services=["postgres"],
    promises=promises.LANGGRAPH_POSTGRES,
)
async def postgres_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphMemory]:
    """PostgreSQL through a pool, which replaces the connections that break."""
    pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
        sandbox.postgres_dsn, check=AsyncConnectionPool.check_connection, **POOL
    )
    async with pool:
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        yield AsyncLangGraphMemory(saver)

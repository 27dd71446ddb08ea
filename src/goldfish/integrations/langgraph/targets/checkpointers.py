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

from goldfish.integrations.langgraph import LANGGRAPH
from goldfish.integrations.langgraph.adapter import AsyncLangGraphMemory, LangGraphMemory

FILE = "checkpoints.sqlite"
# What the documentation requires of connections that the checkpointer does not make itself.
CONNECTION = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
# A pool that replaces broken connections, and does not wait for minutes before it retries.
POOL: dict[str, Any] = {
    "kwargs": CONNECTION,
    "min_size": 1,
    "max_size": 4,
    "timeout": 5.0,
    "reconnect_timeout": 1.0,
    "open": False,
}
# The pool logs what the faults did to its server: keep that out of the report.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())


# "Only use InMemorySaver for debugging or testing purposes": other processes see nothing of it.
@LANGGRAPH.target("langgraph-memory", claims="one opening")
def memory(sandbox: Any) -> AsyncLangGraphMemory:
    """A dict in the process."""
    return AsyncLangGraphMemory(InMemorySaver())


@LANGGRAPH.target("langgraph-sqlite")
def sqlite(sandbox: Any) -> Iterator[LangGraphMemory]:
    """A SQLite file, with one connection that the threads of the process share."""
    with SqliteSaver.from_conn_string(str(sandbox.path / FILE)) as saver:
        yield LangGraphMemory(saver)


@LANGGRAPH.target("langgraph-sqlite-async")
async def sqlite_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphMemory]:
    """A SQLite file, with one connection."""
    async with AsyncSqliteSaver.from_conn_string(str(sandbox.path / FILE)) as saver:
        yield AsyncLangGraphMemory(saver)


@LANGGRAPH.target("langgraph-postgres", services=["postgres"])
def postgres(sandbox: Any) -> Iterator[LangGraphMemory]:
    """PostgreSQL through a pool, which replaces broken connections."""
    with open_pool(sandbox) as pool:
        saver = PostgresSaver(pool)
        saver.setup()
        yield LangGraphMemory(saver)


@LANGGRAPH.target("langgraph-postgres-async", services=["postgres"])
async def postgres_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphMemory]:
    """PostgreSQL through a pool, which replaces broken connections."""
    pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
        sandbox.postgres_dsn, check=AsyncConnectionPool.check_connection, **POOL
    )
    async with pool:
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        yield AsyncLangGraphMemory(saver)


def open_pool(sandbox: Any) -> ConnectionPool[Connection[DictRow]]:
    """Return a pool that opens when it is entered."""
    return ConnectionPool(sandbox.postgres_dsn, check=ConnectionPool.check_connection, **POOL)

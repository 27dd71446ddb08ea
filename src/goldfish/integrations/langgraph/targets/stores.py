"""The stores that come with LangGraph, as targets, with vectors of our embedder."""

import logging
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from typing import Any, TypeVar

from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import AsyncPostgresStore, PostgresStore
from langgraph.store.sqlite import AsyncSqliteStore, SqliteStore
from psycopg import AsyncConnection, Connection
from psycopg.rows import DictRow
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from goldfish.embedding import Embedder, default_embedder, why_not
from goldfish.integrations.langgraph import LANGGRAPH
from goldfish.integrations.langgraph.store_adapter import (
    AsyncLangGraphStoreMemory,
    LangGraphStoreMemory,
    split_text,
)
from goldfish.integrations.langgraph.targets.checkpointers import POOL
from goldfish.testing import HashEmbedder

Adapted = TypeVar("Adapted", AsyncLangGraphStoreMemory, LangGraphStoreMemory)
FILE = "store.sqlite"
FIELD = "memory"
NO_EXTENSIONS = "the sqlite3 of this Python loads no extensions, which the index of the store needs"
# Reads renew nothing, and nothing is given out after its time, where the store has that option.
TTL: Any = {"refresh_on_read": False, "omit_expired": True}
# Else what it says of pipelines that a refused value ended stands between the lines of the report.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


# "Data is lost when the process exits": nobody else sees what it holds.
@LANGGRAPH.target("langgraph-store-memory", claims="one opening")
def memory(sandbox: Any) -> AsyncLangGraphStoreMemory:
    """A dict in the process."""
    store = InMemoryStore(index=index())
    return declared(AsyncLangGraphStoreMemory(store, FIELD, split_text))


@LANGGRAPH.target("langgraph-store-sqlite")
def sqlite(sandbox: Any) -> Iterator[LangGraphStoreMemory]:
    """A SQLite file, with one connection that the threads of the process share."""
    opened = SqliteStore.from_conn_string(str(sandbox.path / FILE), index=sqlite_index(), ttl=TTL)
    with opened as store:
        store.setup()
        store.start_ttl_sweeper()
        yield declared(LangGraphStoreMemory(store, FIELD, split_text))
        store.stop_ttl_sweeper()


@LANGGRAPH.target("langgraph-store-sqlite-async")
async def sqlite_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphStoreMemory]:
    """A SQLite file, with one connection."""
    opened = AsyncSqliteStore.from_conn_string(
        str(sandbox.path / FILE), index=sqlite_index(), ttl=TTL
    )
    async with opened as store:
        await store.setup()
        await store.start_ttl_sweeper()
        yield declared(AsyncLangGraphStoreMemory(store, FIELD, split_text))
        await store.stop_ttl_sweeper()


@LANGGRAPH.target("langgraph-store-postgres", services=["postgres"])
def postgres(sandbox: Any) -> Iterator[LangGraphStoreMemory]:
    """PostgreSQL through a pool, which replaces the connections that break."""
    pool: ConnectionPool[Connection[DictRow]] = ConnectionPool(
        sandbox.postgres_dsn, check=ConnectionPool.check_connection, **POOL
    )
    with pool:
        store = PostgresStore(pool, index=index(), ttl=TTL)
        store.setup()
        store.start_ttl_sweeper()
        yield declared(LangGraphStoreMemory(store, FIELD, split_text))
        store.stop_ttl_sweeper()


@LANGGRAPH.target("langgraph-store-postgres-async", services=["postgres"])
async def postgres_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphStoreMemory]:
    """PostgreSQL through a pool, which replaces the connections that break."""
    pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
        sandbox.postgres_dsn, check=AsyncConnectionPool.check_connection, **POOL
    )
    async with pool:
        store = AsyncPostgresStore(pool, index=index(), ttl=TTL)
        await store.setup()
        await store.start_ttl_sweeper()
        yield declared(AsyncLangGraphStoreMemory(store, FIELD, split_text))
        await store.stop_ttl_sweeper()


def index() -> Any:
    """What an index of LangGraph is told: our embedder, and the parts of a fact as its texts."""
    embedder = embedding()

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[float(number) for number in row] for row in embedder.encode(list(texts))]

    return {"dims": embedder.dimensions, "embed": embed, "fields": [f"{FIELD}[*]"]}


def sqlite_index() -> Any:
    """The same, or nothing where the vectors of SQLite cannot be loaded."""
    return index() if loads_extensions() else None


def embedding() -> Embedder:
    """The model, or where there is none a stand-in that knows words."""
    return HashEmbedder() if why_not() else default_embedder()


def loads_extensions() -> bool:
    """Whether this Python's sqlite3 was built with loadable extensions."""
    with closing(sqlite3.connect(":memory:")) as connection:
        return hasattr(connection, "enable_load_extension")


def declared(store: Adapted) -> Adapted:
    """The store, which says by what it recalls here, and why not if it does not."""
    store.recalls = "words" if why_not() else "meaning"
    if store.lacking:
        store.lacking = {"recall": NO_EXTENSIONS}
    return store

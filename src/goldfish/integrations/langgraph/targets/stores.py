"""The stores that come with LangGraph, as targets, with our embedder."""

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
NO_EXTENSIONS = "this Python's sqlite3 cannot load extensions, which the store's index needs"
# Reads do not renew an expiry, and expired items are omitted, where the store has that option.
TTL: Any = {"refresh_on_read": False, "omit_expired": True}
# It logs the pipelines that a refused value ended: keep that out of the report.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


# "Data is lost when the process exits": other processes see nothing of it.
@LANGGRAPH.target("langgraph-store-memory", claims="one opening")
def memory(sandbox: Any) -> AsyncLangGraphStoreMemory:
    """A dict in the process."""
    store = InMemoryStore(index=make_index())
    return declare(AsyncLangGraphStoreMemory(store, FIELD, split_text))


@LANGGRAPH.target("langgraph-store-sqlite")
def sqlite(sandbox: Any) -> Iterator[LangGraphStoreMemory]:
    """A SQLite file, with one connection that the threads of the process share."""
    opened = SqliteStore.from_conn_string(
        str(sandbox.path / FILE), index=make_sqlite_index(), ttl=TTL
    )
    with opened as store:
        store.setup()
        store.start_ttl_sweeper()
        yield declare(LangGraphStoreMemory(store, FIELD, split_text))
        store.stop_ttl_sweeper()


@LANGGRAPH.target("langgraph-store-sqlite-async")
async def sqlite_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphStoreMemory]:
    """A SQLite file, with one connection."""
    opened = AsyncSqliteStore.from_conn_string(
        str(sandbox.path / FILE), index=make_sqlite_index(), ttl=TTL
    )
    async with opened as store:
        await store.setup()
        await store.start_ttl_sweeper()
        yield declare(AsyncLangGraphStoreMemory(store, FIELD, split_text))
        await store.stop_ttl_sweeper()


@LANGGRAPH.target("langgraph-store-postgres", services=["postgres"])
def postgres(sandbox: Any) -> Iterator[LangGraphStoreMemory]:
    """PostgreSQL through a pool, which replaces broken connections."""
    pool: ConnectionPool[Connection[DictRow]] = ConnectionPool(
        sandbox.postgres_dsn, check=ConnectionPool.check_connection, **POOL
    )
    with pool:
        store = PostgresStore(pool, index=make_index(), ttl=TTL)
        store.setup()
        store.start_ttl_sweeper()
        yield declare(LangGraphStoreMemory(store, FIELD, split_text))
        store.stop_ttl_sweeper()


@LANGGRAPH.target("langgraph-store-postgres-async", services=["postgres"])
async def postgres_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphStoreMemory]:
    """PostgreSQL through a pool, which replaces broken connections."""
    pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
        sandbox.postgres_dsn, check=AsyncConnectionPool.check_connection, **POOL
    )
    async with pool:
        store = AsyncPostgresStore(pool, index=make_index(), ttl=TTL)
        await store.setup()
        await store.start_ttl_sweeper()
        yield declare(AsyncLangGraphStoreMemory(store, FIELD, split_text))
        await store.stop_ttl_sweeper()


def make_index() -> Any:
    """Return the configuration of an index: our embedder, and the parts of a fact as its texts."""
    embedder = choose_embedder()

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[float(number) for number in row] for row in embedder.encode(list(texts))]

    return {"dims": embedder.dimensions, "embed": embed, "fields": [f"{FIELD}[*]"]}


def make_sqlite_index() -> Any:
    """Return the same, or None where SQLite cannot load its vectors."""
    return make_index() if loads_extensions() else None


def choose_embedder() -> Embedder:
    """Return the model, or a stand-in that knows words if it is not installed."""
    return HashEmbedder() if why_not() else default_embedder()


def loads_extensions() -> bool:
    """Return True if this Python's sqlite3 can load extensions."""
    with closing(sqlite3.connect(":memory:")) as connection:
        return hasattr(connection, "enable_load_extension")


def declare(store: Adapted) -> Adapted:
    """Declare by what the store recalls here, or why it does not; return it."""
    store.recalls = "words" if why_not() else "meaning"
    if store.lacking:
        store.lacking = {"recall": NO_EXTENSIONS}
    return store

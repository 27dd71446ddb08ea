"""Our stores behind LangGraph's ``BaseStore``, adapted like anybody else's, as targets."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import goldfish
from goldfish.integrations.langgraph.store import Store
from goldfish.integrations.langgraph.store_adapter import (
    AsyncLangGraphStoreMemory,
    LangGraphStoreMemory,
)
from goldfish.testing import HashEmbedder


@goldfish.target(name="dropin-sqlite")
async def sqlite(sandbox: Any) -> AsyncIterator[AsyncLangGraphStoreMemory]:
    """A SQLite file, driven by the async methods."""
    store = goldfish.SQLiteMemoryStore(sandbox.path / "memory.db", embedder=HashEmbedder())
    yield goldfish.adapt.langgraph_store(Store(store), asynchronous=True)
    await store.aclose()


@goldfish.target(name="dropin-sqlite-sync")
def sqlite_sync(sandbox: Any) -> Iterator[LangGraphStoreMemory]:
    """A SQLite file, driven by the sync methods."""
    store = goldfish.SQLiteMemoryStore(sandbox.path / "memory.db", embedder=HashEmbedder())
    yield goldfish.adapt.langgraph_store(Store(store))
    goldfish.blocking(store).close()


@goldfish.target(name="dropin-redis", services=["redis"])
async def redis(sandbox: Any) -> AsyncIterator[AsyncLangGraphStoreMemory]:
    """Redis."""
    store = goldfish.RedisMemoryStore(sandbox.redis_url, embedder=HashEmbedder())
    yield goldfish.adapt.langgraph_store(Store(store), asynchronous=True)
    await store.aclose()


@goldfish.target(name="dropin-postgres", services=["postgres"])
async def postgres(sandbox: Any) -> AsyncIterator[AsyncLangGraphStoreMemory]:
    """PostgreSQL."""
    store = goldfish.PostgresMemoryStore(sandbox.postgres_dsn, embedder=HashEmbedder())
    yield goldfish.adapt.langgraph_store(Store(store), asynchronous=True)
    await store.aclose()

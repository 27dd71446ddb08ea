"""Our own drop-ins as targets, on each engine: what is asked of others is asked of them.

On a file their sync methods are driven, on a server the async ones.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import goldfish
from goldfish.target import target

FILE = "memory.db"


@target(name="dropin-langchain")
def langchain(sandbox: Any, *, ttl: float | None = None) -> Iterator[Any]:
    """LangChain's histories on a SQLite file."""
    from goldfish.adapters.dropin_langchain import memory

    with goldfish.blocking(goldfish.SQLiteMemoryStore(sandbox.path / FILE, ttl=ttl)) as store:
        yield memory(store)


@target(name="dropin-langchain-redis", services=["redis"])
async def langchain_redis(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[Any]:
    """LangChain's histories on Redis."""
    from goldfish.adapters.dropin_langchain import async_memory

    async with goldfish.RedisMemoryStore(sandbox.redis_url, ttl=ttl) as store:
        yield async_memory(store)


@target(name="dropin-langchain-postgres", services=["postgres"])
async def langchain_postgres(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[Any]:
    """LangChain's histories on PostgreSQL."""
    from goldfish.adapters.dropin_langchain import async_memory

    async with goldfish.PostgresMemoryStore(sandbox.postgres_dsn, ttl=ttl) as store:
        yield async_memory(store)


@target(name="dropin-langgraph")
def langgraph(sandbox: Any, *, ttl: float | None = None) -> Iterator[Any]:
    """LangGraph's threads on a SQLite file."""
    from goldfish.adapters.dropin_langgraph import memory

    with goldfish.blocking(goldfish.SQLiteMemoryStore(sandbox.path / FILE, ttl=ttl)) as store:
        yield memory(store)


@target(name="dropin-langgraph-redis", services=["redis"])
async def langgraph_redis(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[Any]:
    """LangGraph's threads on Redis."""
    from goldfish.adapters.dropin_langgraph import async_memory

    async with goldfish.RedisMemoryStore(sandbox.redis_url, ttl=ttl) as store:
        yield async_memory(store)


@target(name="dropin-langgraph-postgres", services=["postgres"])
async def langgraph_postgres(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[Any]:
    """LangGraph's threads on PostgreSQL."""
    from goldfish.adapters.dropin_langgraph import async_memory

    async with goldfish.PostgresMemoryStore(sandbox.postgres_dsn, ttl=ttl) as store:
        yield async_memory(store)


@target(name="dropin-openai-agents")
async def openai_agents(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[Any]:
    """Sessions of OpenAI Agents on a SQLite file."""
    from goldfish.adapters.dropin_openai_agents import memory

    async with goldfish.SQLiteMemoryStore(sandbox.path / FILE, ttl=ttl) as store:
        yield memory(store)


@target(name="dropin-openai-agents-redis", services=["redis"])
async def openai_agents_redis(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[Any]:
    """Sessions of OpenAI Agents on Redis."""
    from goldfish.adapters.dropin_openai_agents import memory

    async with goldfish.RedisMemoryStore(sandbox.redis_url, ttl=ttl) as store:
        yield memory(store)


@target(name="dropin-openai-agents-postgres", services=["postgres"])
async def openai_agents_postgres(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[Any]:
    """Sessions of OpenAI Agents on PostgreSQL."""
    from goldfish.adapters.dropin_openai_agents import memory

    async with goldfish.PostgresMemoryStore(sandbox.postgres_dsn, ttl=ttl) as store:
        yield memory(store)

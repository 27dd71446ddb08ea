"""Our chat history for LangChain as targets: its ids make a retry a no-op."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import goldfish
from goldfish.integrations.langchain.adapter import AsyncLangChainMemory, LangChainMemory
from goldfish.integrations.langchain.dropin import ChatMessageHistory
from goldfish.targets.declaration import target

FILE = "memory.db"


class _Retried(LangChainMemory):
    retries = True


class _RetriedAsync(AsyncLangChainMemory):
    retries = True


@target(name="dropin-langchain")
def sqlite(sandbox: Any, *, ttl: float | None = None) -> Iterator[LangChainMemory]:
    """Keep histories on a SQLite file, by their sync methods."""
    with goldfish.blocking(goldfish.SQLiteMemoryStore(sandbox.path / FILE, ttl=ttl)) as store:
        yield _Retried(lambda session_id: ChatMessageHistory(session_id, store))


@target(name="dropin-langchain-redis", services=["redis"])
async def redis(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[AsyncLangChainMemory]:
    """Keep histories on Redis, by their async methods."""
    async with goldfish.RedisMemoryStore(sandbox.redis_url, ttl=ttl) as store:
        yield _RetriedAsync(lambda session_id: ChatMessageHistory(session_id, store))


@target(name="dropin-langchain-postgres", services=["postgres"])
async def postgres(
    sandbox: Any, *, ttl: float | None = None
) -> AsyncIterator[AsyncLangChainMemory]:
    """Keep histories on PostgreSQL, by their async methods."""
    async with goldfish.PostgresMemoryStore(sandbox.postgres_dsn, ttl=ttl) as store:
        yield _RetriedAsync(lambda session_id: ChatMessageHistory(session_id, store))

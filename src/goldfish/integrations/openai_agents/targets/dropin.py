"""Our session for the OpenAI Agents SDK as targets."""

from collections.abc import AsyncIterator
from typing import Any

import goldfish
from goldfish.integrations.openai_agents.adapter import OpenAIAgentsMemory
from goldfish.integrations.openai_agents.dropin import Session
from goldfish.targets.declaration import target

FILE = "memory.db"


@target(name="dropin-openai-agents")
async def sqlite(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[OpenAIAgentsMemory]:
    """Sessions on a SQLite file."""
    async with goldfish.SQLiteMemoryStore(sandbox.path / FILE, ttl=ttl) as store:
        yield OpenAIAgentsMemory(lambda session_id: Session(session_id, store))


@target(name="dropin-openai-agents-redis", services=["redis"])
async def redis(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[OpenAIAgentsMemory]:
    """Sessions on Redis."""
    async with goldfish.RedisMemoryStore(sandbox.redis_url, ttl=ttl) as store:
        yield OpenAIAgentsMemory(lambda session_id: Session(session_id, store))


@target(name="dropin-openai-agents-postgres", services=["postgres"])
async def postgres(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[OpenAIAgentsMemory]:
    """Sessions on PostgreSQL."""
    async with goldfish.PostgresMemoryStore(sandbox.postgres_dsn, ttl=ttl) as store:
        yield OpenAIAgentsMemory(lambda session_id: Session(session_id, store))

"""Our own stores as targets, on each engine."""

from typing import Any

from goldfish.stores.memory.store import InMemoryStore
from goldfish.stores.postgres.store import PostgresMemoryStore
from goldfish.stores.redis.store import RedisMemoryStore
from goldfish.stores.sqlite.store import SQLiteMemoryStore
from goldfish.targets.declaration import target


@target(recalls="meaning", filters="comparison")
def memory(sandbox: Any, *, ttl: float | None = None) -> InMemoryStore:
    """A dict in the process."""
    return InMemoryStore(ttl=ttl)


@target(recalls="meaning", filters="comparison")
def sqlite(sandbox: Any, *, ttl: float | None = None) -> SQLiteMemoryStore:
    """One file."""
    return SQLiteMemoryStore(sandbox.path / "memory.db", ttl=ttl)


@target(services=["redis"], recalls="meaning", filters="comparison")
def redis(sandbox: Any, *, ttl: float | None = None) -> RedisMemoryStore:
    """A Redis database of its own."""
    return RedisMemoryStore(sandbox.redis_url, ttl=ttl)


@target(services=["postgres"], recalls="meaning", filters="comparison")
def postgres(sandbox: Any, *, ttl: float | None = None) -> PostgresMemoryStore:
    """A PostgreSQL database of its own."""
    return PostgresMemoryStore(sandbox.postgres_dsn, ttl=ttl)

"""What is left of a store that was cleared: nothing."""

import asyncio
from typing import Any

from goldfish import PostgresMemoryStore
from goldfish.stores.base import BaseStore
from tests.stores.backends import Backend
from tests.stores.postgres.places import ask, contents, said


async def fill(store: BaseStore) -> None:
    """Two sessions with all that a session can have, one of them begun by a fork."""
    await store.set_state("s", {"a": 1})
    await store.add_messages("s", said("one", "two"))
    snapshot = await store.save_snapshot("s")
    await store.fork("s", snapshot, "forked", key="k")
    await store.trim("s", keep_last=1)


async def test_a_cleared_store_remembers_no_deadline(backend: Backend) -> None:
    """What is added after clear_all() stays, also in a session that had state and a deadline."""
    async with backend.open(embedder=None) as store:
        await fill(store)
        await store.set_ttl("s", 0.8)
        await store.set_ttl("forked", 0.8)
        await store.clear_all()
        assert await store.get_ttl("s") is None
        for session in ("s", "forked"):
            await store.add_messages(session, said("new"))
        await asyncio.sleep(1)
        for session in ("s", "forked"):
            assert await contents(store, session) == ["new"]
            assert await store.get_ttl(session) is None


async def test_a_cleared_postgres_store_has_no_rows(dsn: str) -> None:
    """Whatever spares a session from removal is removed before it."""
    options: dict[str, Any] = {"embedder": None, "search": True, "keep_trimmed": True}
    async with PostgresMemoryStore(dsn, **options) as store:
        await fill(store)
        await store.set_state("s", {"b": 2}, user_id="u")
        await store.clear_all()
    for table in (
        *("sessions", "messages", "snapshots", "lives", "archive", "kept", "vectors", "state"),
        *("saved_state", "user_state", "search_model"),
    ):
        assert (table, await ask(dsn, f"SELECT count(*) FROM goldfish.{table}")) == (table, 0)

"""What has expired in PostgreSQL is removed while a store is in use, however much it is."""

import asyncio

import pytest

from goldfish import PostgresMemoryStore
from goldfish.stores.postgres import sweeper as postgres_sweeper
from tests.stores.postgres.places import ask, connected, contents, said

LEFT = "SELECT count(*) FROM goldfish.{} WHERE {}"


def opened(dsn: str) -> PostgresMemoryStore:
    return PostgresMemoryStore(dsn, embedder=None, timeout=30)


async def prepared(dsn: str) -> None:
    """Make the tables."""
    async with opened(dsn) as store:
        await store.list_sessions("x")


async def expire_sessions(dsn: str, count: int) -> None:
    """Fill so many sessions whose time has been over for a while, past the store."""
    async with connected(dsn) as connection:
        await connection.execute(
            """INSERT INTO goldfish.sessions (key, session_id, expires_at)
               SELECT n::text::bytea, n::text::bytea, now() - interval '1 hour'
               FROM generate_series(1, %s) AS n""",
            [count],
        )
        await connection.execute(
            """INSERT INTO goldfish.messages (session, key, body)
               SELECT pk, 'm', '{}' FROM goldfish.sessions"""
        )
        await connection.execute(
            "INSERT INTO goldfish.state SELECT pk, 'a', 'a', '1' FROM goldfish.sessions"
        )


async def emptied(dsn: str, table: str, which: str = "true") -> bool:
    """Wait for the background to come to its end, for a long time."""
    for _ in range(600):
        if await ask(dsn, LEFT.format(table, which)) == 0:
            return True
        await asyncio.sleep(0.05)
    return False


async def test_one_read_is_enough_to_remove_thousands_of_expired_sessions(dsn: str) -> None:
    """With their messages and values, while the store answers; living sessions stay."""
    await prepared(dsn)
    await expire_sessions(dsn, 3000)
    async with opened(dsn) as store:
        await store.get_history("another")
        await store.add_messages("living", said("here"))
        assert await emptied(dsn, "sessions", "expires_at < now()")
        assert await ask(dsn, LEFT.format("messages", "true")) == 1
        assert await ask(dsn, LEFT.format("state", "true")) == 0
        assert await contents(store, "living") == ["here"]


async def test_sweeps_go_on_while_the_store_is_in_use(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What expires later is removed by a later call."""
    monkeypatch.setattr(postgres_sweeper, "SWEEP_EVERY", 0.1)
    async with opened(dsn) as store:
        for _ in range(3):
            await store.list_sessions("x")
            await expire_sessions(dsn, 150)
            await asyncio.sleep(0.15)
            await store.list_sessions("x")
            assert await emptied(dsn, "sessions")


async def test_snapshots_outlive_the_sweep(dsn: str) -> None:
    """An expired session leaves its snapshots, and nothing else."""
    async with opened(dsn) as store:
        await store.add_messages("s", said("one"))
        snapshot = await store.save_snapshot("s")
        await store.set_ttl("s", 0.01)
        await asyncio.sleep(0.05)
    async with opened(dsn) as store:
        await store.list_sessions("x")
        assert await emptied(dsn, "messages")
        await store.rollback_to_snapshot("s", snapshot)
        assert await contents(store) == ["one"]


async def test_expired_facts_and_their_users_are_removed_without_another_fact(dsn: str) -> None:
    """A read is enough; facts without a deadline, and their users, stay."""
    async with opened(dsn) as store:
        for number in range(250):
            await store.remember(f"u{number % 50}", f"fact {number}", ttl=0.01, key=str(number))
        kept = await store.remember("u1", "I stay", key="k")
        await asyncio.sleep(0.05)
    async with opened(dsn) as store:
        await store.list_sessions("x")
        assert await emptied(dsn, "facts", "expires_at IS NOT NULL")
        assert await emptied(dsn, "fact_users", "user_id <> 'u1'")
        assert await ask(dsn, LEFT.format("fact_tokens", "true")) == 1
        assert await store.list_facts("u1") == [kept]
        again = await store.remember("u2", "I am back")
        assert await store.list_facts("u2") == [again]


async def test_tokens_of_calls_are_kept_for_a_day(dsn: str) -> None:
    """Older ones are removed, however many; the facts stay."""
    async with opened(dsn) as store:
        fact = await store.remember("u", "I like tea", key="k")
        async with connected(dsn) as connection:
            await connection.execute(
                """INSERT INTO goldfish.fact_tokens
                   SELECT owner, n::text::bytea, seq, now() - interval '25 hours'
                   FROM goldfish.facts, generate_series(1, 2500) AS n"""
            )
    async with opened(dsn) as store:
        await store.list_sessions("x")
        assert await emptied(dsn, "fact_tokens", "noted_at < now() - interval '24 hours'")
        assert await store.remember("u", "I like tea", key="k") == fact


async def test_a_sweep_waits_for_nobody(dsn: str) -> None:
    """What somebody holds is left alone, and the rest is removed."""
    await prepared(dsn)
    await expire_sessions(dsn, 20)
    async with connected(dsn) as holder, holder.transaction():
        await holder.execute("SELECT pk FROM goldfish.sessions WHERE key = '7' FOR UPDATE")
        async with opened(dsn) as store:
            await store.list_sessions("x")
            assert await emptied(dsn, "sessions", "key <> '7'")


SCANNED = """SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes AS i
        WHERE i.relid = t.relid)
    FROM pg_stat_user_tables AS t WHERE relid = 'goldfish.sessions'::regclass"""


async def test_a_sweep_looks_at_what_has_expired_only(dsn: str) -> None:
    """However many sessions have a deadline to come, an index leads past them."""
    await prepared(dsn)
    await expire_sessions(dsn, 2000)
    async with connected(dsn) as connection:
        await connection.execute("UPDATE goldfish.sessions SET expires_at = now() + '1 hour'")
        await connection.execute("VACUUM ANALYZE goldfish.sessions")
        await connection.execute("SELECT pg_stat_force_next_flush()")
        before = await ask(dsn, SCANNED)
        for _ in range(3):
            await connection.execute("SELECT goldfish.sweep()")
        await connection.execute("SELECT pg_stat_force_next_flush()")
        assert await ask(dsn, SCANNED) - before < 2000

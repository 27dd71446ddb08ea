"""What an examination of a PostgreSQL store sees, and what it mends."""

import random
from typing import Any

import pytest

from goldfish import PostgresMemoryStore
from goldfish.services import PostgresServer
from goldfish.stores.observation import Observation
from goldfish.stores.postgres.schema.migration import MIGRATIONS, migrate
from tests.stores.postgres.places import ask, connected, contents, said


def opened(dsn: str, **options: Any) -> PostgresMemoryStore:
    return PostgresMemoryStore(dsn, embedder=None, **options)


async def examined(dsn: str, *, repair: bool = False, **options: Any) -> dict[str, Observation]:
    """What there is to act on, by subject."""
    async with opened(dsn, **options) as store:
        found = await store.examine(repair=repair)
        return {each.subject: each for each in found if each.level != "ok"}


async def live(store: PostgresMemoryStore, seed: int) -> None:
    """Use all powers in an order of the seed's."""
    chance = random.Random(seed)
    saved = [await store.save_snapshot("s0")]
    for number in range(150):
        session = f"s{chance.randrange(3)}"
        match chance.randrange(10):
            case 0:
                saved.append(await store.save_snapshot("s0"))
            case 1:
                await store.rollback_to_snapshot("s0", chance.choice(saved))
            case 2 if len(saved) > 2:
                await store.delete_snapshot("s0", saved.pop(chance.randrange(len(saved))))
            case 3:
                await store.trim(session, keep_last=chance.randrange(5))
            case 4:
                await store.clear(session)
            case 5:
                await store.set_state(session, {"a": number})
                await store.clear(f"fork{number % 4}", snapshots=True)
                await store.fork("s0", chance.choice(saved), f"fork{number % 4}", key=str(number))
            case 6:
                await store.delete_messages(session, [str(number - 3), str(number - 9)])
            case 7:
                fact = await store.remember(session, f"fact {number % 7}", key=str(number))
                await store.revise(session, fact.id, f"fact {number}", key=str(number))
            case 8 if facts := await store.list_facts(session):
                await store.forget(session, facts[0].id)
            case _:
                await store.add_messages(session, said(str(number), f"{number}b"))


@pytest.mark.parametrize("seed", range(3))
async def test_a_store_that_was_only_used_has_nothing_to_act_on(dsn: str, seed: int) -> None:
    """Whatever was done to it, in a schema of any name."""
    schema = 'it\'s "mine"'
    async with opened(dsn, schema=schema) as store:
        await live(store, seed)
    assert await examined(dsn, schema=schema) == {}
    async with opened(dsn, schema=schema) as store:
        await store.clear_all()
    assert await examined(dsn, schema=schema) == {}


async def test_settings_that_lose_data_are_warned_about() -> None:
    """Also if they are set for the database alone; the advice names them."""
    with PostgresServer(settings={"fsync": "off", "full_page_writes": "off"}) as server:
        name = "ALTER DATABASE postgres SET synchronous_commit = off"
        await ask(server.dsn, name)
        found = await examined(server.dsn)
        assert set(found) == {"fsync", "full_page_writes", "synchronous_commit"}
        for subject, observation in found.items():
            assert observation.level == "warning"
            assert subject in observation.detail
            assert subject in observation.advice


async def test_looking_makes_and_changes_nothing(dsn: str) -> None:
    """An empty database stays empty, and a schema of another version as it is."""
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'goldfish'"
    async with opened(dsn) as store:
        await store.ping()
        assert [each for each in await store.examine(repair=True) if each.level != "ok"] == []
        assert await ask(dsn, tables) == 0
    async with connected(dsn) as connection:
        await migrate(connection, "goldfish", MIGRATIONS[:2])
    async with opened(dsn) as store:
        (version,) = [each for each in await store.examine() if each.subject == "schema version"]
        assert "version 2" in version.detail
        assert await ask(dsn, "SELECT number FROM goldfish.version") == 2
        await ask(dsn, "UPDATE goldfish.version SET number = 99")
        (warning,) = [each for each in await store.examine() if each.level != "ok"]
        assert "upgrade" in warning.advice


async def test_unlogged_tables_are_warned_about(dsn: str) -> None:
    """A crash would empty them."""
    async with opened(dsn) as store:
        await store.add_messages("s", said("one"))
    await ask(dsn, "ALTER TABLE goldfish.messages SET UNLOGGED")
    assert (await examined(dsn))["unlogged tables"].level == "warning"


DAMAGE = {
    "messages without a session": "DELETE FROM goldfish.sessions",
    "newest snapshots": "UPDATE goldfish.sessions SET snapshot = NULL",
    "what snapshots show": "DELETE FROM goldfish.archive",
    "messages set aside": "DELETE FROM goldfish.lives",
    "facts without a user": "DELETE FROM goldfish.fact_users",
    "counters of facts": "UPDATE goldfish.fact_users SET version = 0",
    "history of facts": "DELETE FROM goldfish.facts",
    "vectors without a message": "INSERT INTO goldfish.vectors VALUES (1, 0, '')",
    "lives without a session": "INSERT INTO goldfish.lives VALUES (1000, 1, 0, 1)",
    "counter of messages": "ALTER SEQUENCE goldfish.messages_seq_seq RESTART",
    "counter of sessions": "ALTER SEQUENCE goldfish.sessions_pk_seq RESTART",
}
MENDED = {
    "lives without a session",
    "newest snapshots",
    "counters of facts",
    "history of facts",
    "vectors without a message",
    "counter of messages",
    "counter of sessions",
}


@pytest.mark.parametrize("subject", DAMAGE)
async def test_contradictions_are_seen_and_mended_where_that_is_safe(
    dsn: str, subject: str
) -> None:
    """What cannot be mended stays as it is; nothing stored is part of an observation."""
    async with opened(dsn) as store:
        await store.add_messages("s", said("a secret", "b"))
        await store.save_snapshot("s")
        await store.trim("s", keep_last=1)
        fact = await store.remember("u", "another secret")
        await store.revise("u", fact.id, "the last secret")
    await ask(dsn, DAMAGE[subject])
    found = await examined(dsn)
    assert found[subject].level == "damage"
    assert found[subject].advice
    assert not any("secret" in str(each) for each in found.values())
    assert await examined(dsn) == found
    assert (await examined(dsn, repair=True))[subject].repaired == found[subject].repairable
    if subject in MENDED:
        assert subject not in await examined(dsn)


async def test_a_lagging_counter_is_raised_beyond_all_that_was_used(dsn: str) -> None:
    """As after a failover that left the counters behind: order and ids are right again."""
    async with opened(dsn) as store:
        await store.add_messages("s", said("one", "two", "three"))
        for name in ("messages_seq", "sessions_pk"):
            await ask(dsn, f"ALTER SEQUENCE goldfish.{name}_seq RESTART")
        repaired = [each.subject for each in await store.examine(repair=True) if each.repaired]
        assert repaired == ["counter of sessions", "counter of messages"]
        await store.add_messages("s", said("four"))
        await store.add_messages("t", said("five"))
        assert await contents(store) == ["one", "two", "three", "four"]

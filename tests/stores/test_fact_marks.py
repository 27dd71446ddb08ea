"""What facts are found by is written with them: after a kill, an upgrade, or a write without it."""

import contextlib
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

import goldfish
from goldfish.stores.base import BaseStore
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS, Backend
from tests.stores.killed_writers import kill_amid_writes

HASH = HashEmbedder(48)
KILLS = {"sqlite": 12, "redis": 4, "postgres": 4}
TOLD = [f"{what} number {n}" for n, what in enumerate(["tea", "milk", "salt", "rice"] * 3)]


@pytest.fixture(params=[*KILLS])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place that several processes can open, on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


async def answers(store: BaseStore) -> list[Any]:
    """All that the user's facts answer, with scores, and the facts themselves."""
    questions = ("tea number 3", "What did Ann say?", "anything else", " ")
    found = [await store.recall("u", question, limit=100) for question in questions]
    return [*found, await store.list_facts("u")]


async def _write_for_ever(url: str, seed: int, begun: Any) -> None:
    dice = random.Random(seed)
    async with goldfish.open_store(url, embedder=HASH) as store:
        facts = [(await store.remember("u", f"{seed} first")).id]
        begun.set()
        for number in range(10**6):
            one, deed = dice.choice(facts), dice.random()
            if deed < 0.6:
                facts.append((await store.remember("u", f"{seed} fact {number}")).id)
            elif deed < 0.8:
                await store.revise("u", one, f"{seed} revised {number}")
            elif len(facts) > 1:
                facts.remove(one)
                await store.forget("u", one)


async def test_a_kill_leaves_no_fact_that_is_listed_and_not_recalled(place: Backend) -> None:
    """Nor the other way round: whenever a process is killed, both know the same facts."""
    for number in range(KILLS[place.name]):
        kill_amid_writes(_write_for_ever, place.url, number)
        async with place.open(embedder=HASH) as store:
            listed = await store.list_facts("u")
            recalled = await store.recall("u", "fact revised", limit=10**6)
            # A server may still do what the killed process had sent: one write, in between.
            if (now := await store.list_facts("u")) != listed:
                listed, recalled = now, await store.recall("u", "fact revised", limit=10**6)
            assert sorted(fact.id for fact in listed) == sorted(each.fact.id for each in recalled)
            assert {fact.text for fact in listed} == {each.fact.text for each in recalled}
            wrong = [each for each in await store.examine() if each.level == "damage"]
            assert wrong == []


async def fill(store: BaseStore) -> None:
    for number, text in enumerate(TOLD):
        metadata = {"speaker": "Ann"} if number % 2 else {"at": "2026-01-01"}
        await store.remember("u", text, metadata=metadata, ttl=None if number % 3 else 600)
    await store.remember("u", "the order of Ann is late again today")
    await store.remember("u", "Late again today is the order of Ann!")


def age_sqlite(url: str) -> None:
    """Make the file one of the version before marks."""
    path = url.removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in (
            "UPDATE goldfish_schema SET version = 6",
            "DROP TABLE goldfish_search_blocks",
            "ALTER TABLE goldfish_sessions DROP COLUMN marked_to",
            "ALTER TABLE goldfish_sessions DROP COLUMN marked_epoch",
            "DROP TABLE goldfish_fact_blocks",
            "DROP TABLE goldfish_fact_links",
            "DROP INDEX goldfish_facts_by_place",
            "DROP INDEX goldfish_facts_ending",
            "ALTER TABLE goldfish_fact_users DROP COLUMN marked",
        ):
            connection.execute(statement)


def age_redis(url: str) -> None:
    """Leave what a goldfish without marks writes."""
    with redis.Redis.from_url(url) as client:
        (meta,) = client.scan_iter("goldfish:{*}:meta")
        fields = [each for each in client.hkeys(meta) if b":" in each or each == b"marked"]
        client.hdel(meta, *fields)


def age_postgres(url: str) -> None:
    """Leave what the functions called without marks leave."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DELETE FROM goldfish.fact_marks")
        connection.execute("UPDATE goldfish.fact_users SET marked = false")


AGE: dict[str, Callable[[str], None]] = {
    "sqlite": age_sqlite,
    "redis": age_redis,
    "postgres": age_postgres,
}


async def test_facts_of_an_older_goldfish_are_recalled_as_before(place: Backend) -> None:
    """Also in many steps; links show at once, and what is written next is found like the rest."""
    async with place.open(embedder=HASH) as store:
        await fill(store)
        expected = await answers(store)
    AGE[place.name](place.url)
    async with place.open(embedder=HASH) as fresh:
        assert await fresh.list_facts("u") == expected[-1]
        assert [fact.near for fact in await fresh.list_facts("u")][-2:] != [[], []]
        assert await answers(fresh) == expected
        new = await fresh.remember("u", "something new")
        assert (await fresh.recall("u", "something new"))[0].fact == new
    AGE[place.name](place.url)
    async with place.open(embedder=HASH) as later:
        last = await later.remember("u", "the very last")
        async with place.open(embedder=HASH) as other:
            assert (await other.recall("u", "the very last"))[0].fact == last
            assert len(await other.recall("u", "x", limit=99)) == len(TOLD) + 4


async def test_a_fact_that_was_written_without_marks_is_recalled(tmp_path: Path) -> None:
    """By a process of an older goldfish, which still had the file open: it raises the counter."""
    with BACKENDS["sqlite"](tmp_path) as place:
        async with place.open(embedder=HASH) as store:
            await fill(store)
            await store.recall("u", "tea")
            path = place.url.removeprefix("sqlite:///")
            with contextlib.closing(sqlite3.connect(path)) as connection, connection:
                connection.execute(
                    """INSERT INTO goldfish_facts
                    (user, seq, changed, said_at, id, key, base, said, vectors)
                    SELECT user, 99, 99, 99, 'late', 'late', base,
                    replace(said, 'tea number 0', 'unicorn'), vectors
                    FROM goldfish_facts ORDER BY seq LIMIT 1"""
                )
                connection.execute("UPDATE goldfish_fact_users SET version = 99")
            assert (await store.recall("u", "unicorn"))[0].fact.id == "late"
            assert (await store.get_fact("u", "late") or 0) in await store.list_facts("u")


async def test_marks_that_are_lost_are_made_again(tmp_path: Path) -> None:
    """An examination sees that they are missing, and lets the next recall make them."""
    with BACKENDS["sqlite"](tmp_path) as place:
        async with place.open(embedder=HASH) as store:
            await fill(store)
            expected = await answers(store)
        path = place.url.removeprefix("sqlite:///")
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM goldfish_fact_blocks")
        async with place.open(embedder=HASH) as store:
            found = {each.subject: each for each in await store.examine(repair=True)}
            assert found["fact marks"].level == "damage"
            assert found["fact marks"].repaired
            assert await answers(store) == expected

"""What messages are found by is written with them: after a kill, an upgrade, or a write without."""

import contextlib
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

import goldfish
from goldfish import ChatMessage, Found
from goldfish.stores.search import engine, search
from goldfish.stores.search.backend import Known
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS, Backend
from tests.stores.killed_writers import SEED, kill_amid_writes

HASH = HashEmbedder(48)
KILLS = {"sqlite": 8, "redis": 3, "postgres": 3}
EVERYTHING = 10**6


@pytest.fixture(params=[*KILLS])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place that several processes can open, on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


def opened(place: Backend, **options: Any) -> Any:
    """A store that knows nothing yet."""
    return place.open(**{"search": True, "embedder": HASH, **options})


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


async def found(store: Any, query: str = "tuna", limit: int = EVERYTHING) -> list[Found]:
    answer: list[Found] = await store.search_history(["s"], query, limit=limit)
    return answer


async def texts(store: Any, query: str = "tuna") -> list[Any]:
    return sorted(hit.message.content for hit in await found(store, query))


async def _write_for_ever(url: str, seed: int, begun: Any) -> None:
    dice = random.Random(seed)
    async with goldfish.open_store(url, embedder=HASH, search=True) as store:
        await store.add_messages("s", said(f"{seed} first tuna"))
        snapshot = await store.save_snapshot("s")
        begun.set()
        for number in range(10**6):
            deed = dice.random()
            if deed < 0.6:
                await store.add_messages("s", said(*(f"tuna {seed} {number} {n}" for n in "ab")))
            elif deed < 0.8:
                history = await store.get_history("s")
                await store.delete_messages("s", [dice.choice(history).id] if history else [])
            elif deed < 0.95:
                await store.trim("s", keep_last=dice.randrange(20))
            else:
                await store.rollback_to_snapshot("s", snapshot)


async def test_a_kill_leaves_no_message_that_is_listed_and_not_found(place: Backend) -> None:
    """Nor the other way round: whenever a process is killed, both know the same messages."""
    for number in range(KILLS[place.name]):
        kill_amid_writes(_write_for_ever, place.url, number)
        async with opened(place) as store:
            history, hits = await store.get_history("s"), await found(store)
            # A server may still do what the killed process had sent: one write, in between.
            if await store.get_history("s") != history:
                history, hits = await store.get_history("s"), await found(store)
            assert sorted(m.id for m in history) == sorted(hit.message.id for hit in hits)
            wrong = [each for each in await store.examine() if each.level == "damage"]
            assert wrong == []


def age_sqlite(url: str) -> None:
    """Make the file one of the version before marks."""
    path = url.removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in (
            "UPDATE goldfish_schema SET version = 7",
            "DROP TABLE goldfish_search_blocks",
            "ALTER TABLE goldfish_sessions DROP COLUMN marked_to",
            "ALTER TABLE goldfish_sessions DROP COLUMN marked_epoch",
        ):
            connection.execute(statement)


def age_redis(url: str) -> None:
    """Leave what a goldfish without marks writes."""
    with redis.Redis.from_url(url) as client:
        (key,) = client.scan_iter("goldfish:{*}:search")
        client.hdel(key, *(each for each in client.hkeys(key) if each.startswith(b"mark")))


def age_postgres(url: str) -> None:
    """Make the schema one of the version before marks."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (
            "DROP FUNCTION goldfish.add_fact",
            "DROP FUNCTION goldfish.replace_fact",
            "DROP FUNCTION goldfish.give_way",
            "DROP FUNCTION goldfish.admit_fact",
            "DROP FUNCTION goldfish.append_and_read",
            "DROP FUNCTION goldfish.unmark_gone() CASCADE",
            "DROP FUNCTION goldfish.append_marked",
            "DROP FUNCTION goldfish.mark",
            "DROP TABLE goldfish.marks",
            "UPDATE goldfish.version SET number = 8",
        ):
            connection.execute(statement.encode())


AGE: dict[str, Callable[[str], None]] = {
    "sqlite": age_sqlite,
    "redis": age_redis,
    "postgres": age_postgres,
}


async def test_messages_of_an_older_goldfish_are_found_as_before(
    place: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also trimmed ones; nothing is embedded again, and what is written next is found, too."""
    batch = said(*(f"tuna number {n}" for n in range(12)))
    async with opened(place, keep_trimmed=True) as store:
        await store.add_messages("s", batch)
        await store.trim("s", keep_last=8)
        expected = await found(store, "tuna number 3")
    assert len(expected) == 12
    AGE[place.name](place.url)
    async with opened(place) as fresh:
        encode, asked = HASH.encode, list[str]()

        def note(some: list[str]) -> Any:
            asked.extend(some)
            return encode(some)

        monkeypatch.setattr(HASH, "encode", note)
        assert await found(fresh, "tuna number 3") == expected
        assert asked == ["tuna number 3"]
        await fresh.add_messages("s", said("a late tuna"))
        await fresh.delete_messages("s", [batch[0].id, batch[9].id])
        left = sorted({m.content for m in batch} - {batch[0].content, batch[9].content})
        assert await texts(fresh) == sorted([*left, "a late tuna"])
    async with opened(place) as later:
        assert await texts(later) == sorted([*left, "a late tuna"])


async def test_a_cold_store_reads_what_was_written_with_the_messages(place: Backend) -> None:
    """After adding, trimming and deleting, nothing has to be made before the first search."""
    async with opened(place, keep_trimmed=True) as store:
        batch = said(*(f"tuna {n}" for n in range(150)))
        for first in range(0, 150, 30):
            await store.add_messages("s", batch[first : first + 30])
        await store.delete_messages("s", [batch[70].id, batch[149].id])
        await store.trim("s", keep_last=90)
        await store.add_messages("s", [*said("the last tuna"), batch[100]])
        expected = await found(store)
    async with opened(place) as cold:
        backend = cold._search_backend()
        cold._search_engine = engine.SearchEngine(backend, cold._embedder)
        (reading,) = (await backend.read({"s": Known()})).readings
        assert (reading.marked, len(reading.marks)) == (True, 149)
        assert await found(cold) == expected
    assert len(expected) == 149


@pytest.mark.parametrize("writer", ["plain", "words alone"])
async def test_a_place_that_is_used_again_is_found_by_what_it_says_now(
    place: Backend, writer: str
) -> None:
    """When the newest messages are deleted and others come, whoever writes them."""
    options = {"search": False} if writer == "plain" else {"embedder": None}
    async with opened(place) as store, opened(place, **options) as other:
        batch = said("first tuna", "second tuna", "third tuna")
        await store.add_messages("s", batch)
        await other.delete_messages("s", [batch[1].id, batch[2].id])
        await other.add_messages("s", said("an eel", "a herring", "a trout"))
        for asking in (store, other):
            if asking is store or writer != "plain":
                hits = await found(asking, "herring")
                assert hits[0].message.content == "a herring"
        async with opened(place) as cold:
            (best, *_) = await found(cold, "herring")
            assert best.message.content == "a herring"
            assert best.why["meaning"] > 0.5
            assert len(await found(cold)) == 4
            assert await found(cold) == await found(store)


async def test_an_older_goldfish_that_still_runs_is_understood(tmp_path: Path) -> None:
    """It deletes the newest message and uses its place again, and leaves the marks as they were."""
    with BACKENDS["sqlite"](tmp_path) as place:
        async with opened(place) as store:
            await store.add_messages("s", said("red tuna", "blue tuna"))
            assert len(await found(store)) == 2
            path = place.url.removeprefix("sqlite:///")
            with contextlib.closing(sqlite3.connect(path)) as connection, connection:
                connection.execute(
                    """UPDATE goldfish_messages SET id = 'new', body = replace(body, 'blue tuna',
                    'grey eel') WHERE place = (SELECT max(place) FROM goldfish_messages)"""
                )
                connection.execute("DELETE FROM goldfish_vectors")
                connection.execute("UPDATE goldfish_sessions SET epoch = random()")
            async with opened(place) as cold:
                for asking in (store, cold):
                    (best, _) = await found(asking, "grey eel")
                    assert best.message.content == "grey eel"
                    assert best.why["meaning"] > 0.5


async def test_long_sessions_are_found_by_codes_and_few_vectors(
    place: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best are those of a search by all vectors; cold and warm, the answers are the same."""
    dice = random.Random(SEED)
    words = [f"{a}{b}{c}" for a in "bdfgkl" for b in "aeiou" for c in "blmn"]
    batch = said(*(" ".join(dice.choices(words, k=8)) for _ in range(400)))
    async with opened(place) as store:
        for first in range(0, 400, 100):
            await store.add_messages("s", batch[first : first + 100])
        queries = [" ".join(dice.choices(words, k=4)) for _ in range(10)]
        exact = [await found(store, query, 5) for query in queries]
        monkeypatch.setattr(search, "ALL", 100)
        monkeypatch.setattr(search, "FEW", 40)
        warm = [await found(store, query, 5) for query in queries]
        ids = [[hit.message.id for hit in hits] for hits in warm]
        best = [[hit.message.id for hit in hits] for hits in exact]
        assert sum(one[0] == other[0] for one, other in zip(ids, best, strict=True)) >= 9
        assert len(await found(store, queries[0])) == 400
        async with opened(place) as cold:
            assert [await found(cold, query, 5) for query in queries] == warm


async def test_what_follows_a_batch_that_ends_in_a_repetition_is_found(place: Backend) -> None:
    """A message that is there already is not written, so the next one has its place."""
    first, second, third = said("first tuna", "second tuna", "third tuna")
    async with opened(place) as store, opened(place, search=False) as plain:
        await store.add_messages("s", [first])
        await store.add_messages("s", [second, first])
        await plain.add_messages("s", [third])
        assert await texts(store) == ["first tuna", "second tuna", "third tuna"]


async def test_marks_that_are_lost_are_made_again(tmp_path: Path) -> None:
    """An examination sees that they are missing, and lets the next search make them."""
    with BACKENDS["sqlite"](tmp_path) as place:
        async with opened(place) as store:
            await store.add_messages("s", said("red tuna", "blue tuna"))
            expected = await found(store)
        path = place.url.removeprefix("sqlite:///")
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM goldfish_search_blocks")
        async with opened(place) as store:
            observed = {each.subject: each for each in await store.examine(repair=True)}
            assert observed["search marks"].level == "damage"
            assert observed["search marks"].repaired
            assert await found(store) == expected

"""A trimmed message that is kept for searches is gone for good once its id comes again."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.encoding import encode_message
from goldfish.services import shared_redis
from goldfish.stores.postgres.schema.migration import MIGRATIONS, migrate
from goldfish.stores.searching import SearchingStore
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS, Backend
from tests.stores.postgres.places import connected

SEARCHING = ["sqlite", "redis", "redis-decoded", "postgres"]
EMBEDDER = HashEmbedder(16)


@pytest.fixture(params=SEARCHING)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place to store and search in, on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


def searching(place: Backend, **options: Any) -> SearchingStore:
    store = place.open(**{"search": True, "embedder": None, **options})
    assert isinstance(store, SearchingStore)
    return store


def tuna(age: str, key: str = "c") -> ChatMessage:
    return ChatMessage(role="user", content=f"{age} tuna", id=key)


async def found(store: SearchingStore) -> list[Any]:
    """The contents of all that is found, in alphabetical order."""
    hits = await store.search_history(["s"], "tuna", limit=99)
    return sorted(str(hit.message.content) for hit in hits)


async def add_again_and_trim(keeping: SearchingStore, plain: SearchingStore) -> None:
    await keeping.add_messages("s", [tuna("old")])
    await keeping.trim("s", keep_last=0)
    await plain.add_messages("s", [tuna("new")])
    await plain.trim("s", keep_last=0)


async def add_again_and_roll_back(keeping: SearchingStore, plain: SearchingStore) -> None:
    await keeping.add_messages("s", [tuna("old")])
    await keeping.trim("s", keep_last=0)
    snapshot = await keeping.save_snapshot("s")
    await plain.add_messages("s", [tuna("new")])
    await plain.rollback_to_snapshot("s", snapshot)


async def roll_back_and_trim(keeping: SearchingStore, plain: SearchingStore) -> None:
    await keeping.add_messages("s", [tuna("old")])
    snapshot = await keeping.save_snapshot("s")
    await keeping.trim("s", keep_last=0)
    await plain.rollback_to_snapshot("s", snapshot)
    await plain.trim("s", keep_last=0)


async def add_again_save_roll_back_and_trim(keeping: SearchingStore, plain: SearchingStore) -> None:
    await keeping.add_messages("s", [tuna("old")])
    await keeping.trim("s", keep_last=0)
    await keeping.add_messages("s", [tuna("new")])
    snapshot = await keeping.save_snapshot("s")
    await plain.rollback_to_snapshot("s", snapshot)
    await plain.trim("s", keep_last=0)


async def roll_back_to_an_earlier_one_and_trim(
    keeping: SearchingStore, plain: SearchingStore
) -> None:
    await plain.add_messages("s", [tuna("old")])
    snapshot = await plain.save_snapshot("s")
    await plain.trim("s", keep_last=0)
    await keeping.add_messages("s", [tuna("new")])
    await keeping.trim("s", keep_last=0)
    await keeping.rollback_to_snapshot("s", snapshot)
    await plain.trim("s", keep_last=0)


async def fork_into_it_and_trim(keeping: SearchingStore, plain: SearchingStore) -> None:
    await keeping.add_messages("s", [tuna("old")])
    await keeping.trim("s", keep_last=0)
    await plain.add_messages("t", [tuna("new")])
    snapshot = await plain.save_snapshot("t")
    await plain.fork("t", snapshot, "s")
    assert "old tuna" not in await found(keeping)
    await plain.trim("s", keep_last=0)


@pytest.mark.parametrize("embedder", [None, EMBEDDER], ids=["words", "vectors"])
@pytest.mark.parametrize(
    "happens",
    [
        add_again_and_trim,
        add_again_and_roll_back,
        roll_back_and_trim,
        add_again_save_roll_back_and_trim,
        roll_back_to_an_earlier_one_and_trim,
        fork_into_it_and_trim,
    ],
)
async def test_what_was_trimmed_does_not_come_back(
    place: Backend,
    happens: Callable[[SearchingStore, SearchingStore], Awaitable[None]],
    embedder: HashEmbedder | None,
) -> None:
    """Its id was in the session again, and was removed by a store that keeps nothing."""
    async with (
        searching(place, keep_trimmed=True, embedder=embedder) as keeping,
        searching(place, embedder=embedder) as plain,
    ):
        await keeping.add_messages("s", [tuna("another", "d")])
        await keeping.trim("s", keep_last=0)
        await happens(keeping, plain)
        assert await found(keeping) == await found(plain) == ["another tuna"]
        assert [each for each in await plain.examine() if each.level == "damage"] == []


async def test_what_is_said_after_a_rollback_and_a_trim_is_found(place: Backend) -> None:
    """Its place in the session is beyond all that was trimmed, also before the rollback."""
    async with searching(place, keep_trimmed=True, embedder=EMBEDDER) as store:
        await store.add_messages("s", [tuna("first", "a")])
        snapshot = await store.save_snapshot("s")
        await store.add_messages("s", [tuna("second", "b"), tuna("third", "c")])
        await store.trim("s", keep_last=0)
        await store.rollback_to_snapshot("s", snapshot)
        assert await found(store) == ["first tuna", "second tuna", "third tuna"]
        await store.trim("s", keep_last=0)
        await store.add_messages("s", [tuna("fourth", "d")])
        assert await found(store) == ["first tuna", "fourth tuna", "second tuna", "third tuna"]


async def test_redis_forgets_what_an_older_goldfish_left_beside_a_message() -> None:
    """A trimmed message whose id the session has goes with the next one of that id."""
    url = shared_redis().database()
    async with (
        goldfish.open_store(url, search=True, keep_trimmed=True, embedder=None) as keeping,
        goldfish.open_store(url, search=True, embedder=None) as plain,
    ):
        await keeping.add_messages("s", [tuna("old"), tuna("another", "d")])
        await keeping.trim("s", keep_last=0)
        assert isinstance(plain, goldfish.RedisMemoryStore)
        client, key = plain.redis_client, "goldfish:{ss}:trimmed"
        left = await client.hget(key, "c")
        await plain.add_messages("s", [tuna("new")])
        await client.hset(key, "c", left)
        assert isinstance(keeping, SearchingStore)
        assert await found(keeping) == ["another tuna", "new tuna"]
        await plain.trim("s", keep_last=0)
        assert await found(keeping) == ["another tuna"]


async def test_postgres_forgets_what_an_older_goldfish_left_beside_a_message(dsn: str) -> None:
    """When the schema is brought up to date; what is not there again is still found."""
    async with connected(dsn) as connection:
        await migrate(connection, "goldfish", MIGRATIONS[:5])
        for each in (tuna("old"), tuna("another", "d"), tuna("new")):
            body, key = encode_message(each).encode(), each.id.encode()
            await connection.execute(
                "SELECT goldfish.append('s', 's', ARRAY[%b::bytea], ARRAY[%b::bytea], NULL)",
                [key, body],
            )
            if "new" not in each.content:
                await connection.execute("SELECT goldfish.keep_last_and_the_rest('s', 0)")
    async with goldfish.PostgresMemoryStore(dsn, search=True, embedder=None) as store:
        assert await found(store) == ["another tuna", "new tuna"]
        await store.trim("s", keep_last=0)
        assert await found(store) == ["another tuna"]

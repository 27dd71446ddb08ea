"""A trimmed message that searches still find is gone for good once its id is in the session again."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goldfish import ChatMessage
from goldfish.stores.searching import SearchingStore
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS, Backend

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


@pytest.mark.parametrize("embedder", [None, EMBEDDER], ids=["words", "vectors"])
@pytest.mark.parametrize(
    "happens",
    [
        add_again_and_trim,
        add_again_and_roll_back,
        roll_back_and_trim,
        add_again_save_roll_back_and_trim,
        roll_back_to_an_earlier_one_and_trim,
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

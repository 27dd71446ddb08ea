"""Items that an earlier goldfish put: facts without names, of which the last with a key counts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph.store.base")

import goldfish
from goldfish.integrations.langgraph.store import Store
from goldfish.stores.facts.filters import parse
from tests.stores.backends import BACKENDS, Backend

ANN = ("users", "ann")
USER = 'langgraph-store:["users","ann"]'
LONG_AGO = "2024-05-06T07:08:09+00:00"


@pytest.fixture(params=["sqlite", "redis", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


async def put_formerly(store: Store, key: str, number: int, **metadata: Any) -> None:
    """Put an item as an earlier goldfish does, before it forgets the versions before it."""
    memory = store.store
    assert isinstance(memory, goldfish.stores.base.BaseStore)
    described = {"key": [key], "value": {"n": number}, "found": True, **metadata}
    await memory.remember(USER, f"{key} {number}", metadata=described)


async def test_the_last_of_several_versions_is_read_and_replaced(place: Backend) -> None:
    """As old as its first version; the next put leaves one fact."""
    async with place.open(embedder=None) as memory:
        store = Store(memory)
        await put_formerly(store, "a", 1)
        await put_formerly(store, "b", 1)
        await put_formerly(store, "a", 2, since=[LONG_AGO])
        found = await store.aget(ANN, "a")
        assert found is not None
        assert (found.value, found.created_at.isoformat()) == ({"n": 2}, LONG_AGO)
        assert {each.key: each.value for each in await store.asearch(ANN)} == {
            "a": {"n": 2},
            "b": {"n": 1},
        }
        for number in (3, 4):
            await store.aput(ANN, "a", {"n": number})
            found = await store.aget(ANN, "a")
            assert found is not None
            assert (found.value, found.created_at.isoformat()) == ({"n": number}, LONG_AGO)
        assert len(await memory.list_facts(USER)) == 2
        await store.adelete(ANN, "b")
        assert await store.aget(ANN, "b") is None
        assert await memory._facts("").find_named(USER, "b") == (None, True)


async def test_a_process_of_an_earlier_goldfish_may_go_on(place: Backend) -> None:
    """What it puts after a new one is the item, also while both versions are there."""
    async with place.open(embedder=None) as memory:
        store = Store(memory)
        await store.aput(ANN, "a", {"n": 1})
        await put_formerly(store, "a", 2)
        found = await store.aget(ANN, "a")
        assert found is not None
        assert found.value == {"n": 2}
        await store.aput(ANN, "a", {"n": 3})
        found = await store.aget(ANN, "a")
        assert found is not None
        assert found.value == {"n": 3}
        assert len(await memory._facts("").page(USER, parse(None), 0, None)) == 1
        await store.aput(ANN, "a", {"n": 4})
        await put_formerly(store, "a", 5)
        await store.adelete(ANN, "a")
        assert await store.aget(ANN, "a") is None
        assert await memory.list_facts(USER) == []

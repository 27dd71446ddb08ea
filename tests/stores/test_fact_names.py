"""Facts with names: one takes the place of another in one step, in every store."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import goldfish
from goldfish.stores.base import BaseStore
from goldfish.stores.facts.engine import FactEngine, Formerly, Told
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS, Backend
from tests.stores.killed_writers import kill_amid_writes
from tests.stores.pods import _context

KILLS = {"sqlite": 6, "redis": 3, "postgres": 3}
WRITERS = 3
PUTS = 8


@pytest.fixture(params=["memory", "sqlite", "redis", "redis-decoded", "fakeredis", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


@pytest.fixture(params=[*KILLS])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """One that several processes can open."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


def facts_of(store: BaseStore) -> FactEngine:
    return store._facts("")


def told(text: str, ttl: float | None = None, **metadata: Any) -> Told:
    return Told(text, metadata, ttl)


async def texts(store: BaseStore) -> list[str]:
    return [fact.text for fact in await store.list_facts("u")]


async def test_a_fact_takes_the_place_of_the_one_with_its_name(place: Backend) -> None:
    """It is new but for the moment of the first, and last in the order; others stay."""
    async with place.open(embedder=HashEmbedder()) as store:
        facts = facts_of(store)
        assert await facts.find_named("u", "tea") == (None, True)
        assert await facts.replace("u", "tea", told("green tea", n=1))
        first, _ = await facts.find_named("u", "tea")
        assert await facts.replace("u", "milk", told("cold milk"))
        assert (await store.recall("u", "green tea"))[0].fact == first
        assert await facts.replace("u", "tea", told("black tea", n=2))
        second, is_exact = await facts.find_named("u", "tea")
        assert is_exact
        assert first is not None
        assert second is not None
        assert (second.text, second.metadata) == ("black tea", {"n": 2})
        assert second.created_at == first.created_at
        assert second.updated_at > first.updated_at
        assert await texts(store) == ["cold milk", "black tea"]
        hits = await store.recall("u", "tea", limit=9)
        assert {each.fact.text for each in hits} == {"cold milk", "black tea"}
        assert await store.get_fact("u", first.id) is None
        assert await facts.find_named("v", "tea") == (None, True)
        assert [each for each in await store.examine() if each.level == "damage"] == []


async def test_equal_texts_with_two_names_are_two_facts(place: Backend) -> None:
    """And a name is compared exactly."""
    async with place.open(embedder=None) as store:
        for name in ("a", "A", "a ", "\ud800", "\0", ""):
            assert await facts_of(store).replace("u", name, told("the same"))
        assert len(await texts(store)) == 6


async def test_a_time_is_that_of_the_last(place: Backend) -> None:
    """One that has ended is not there, and gives no moment to the next."""
    async with place.open(embedder=None) as store:
        facts = facts_of(store)
        await facts.replace("u", "tea", told("for good"))
        await facts.replace("u", "tea", told("for a moment", ttl=0.3))
        first, _ = await facts.find_named("u", "tea")
        assert first is not None
        while (await facts.find_named("u", "tea"))[0] is not None:
            await asyncio.sleep(0.05)
        await facts.replace("u", "tea", told("again"))
        found, _ = await facts.find_named("u", "tea")
        assert found is not None
        assert found.created_at > first.created_at
        assert await texts(store) == ["again"]


async def test_facts_without_names_are_told_and_replaced_by_their_ids(place: Backend) -> None:
    """Nothing changes before the caller has said which of them the new one replaces."""
    async with place.open(embedder=None) as store:
        facts = facts_of(store)
        await facts.replace("u", "milk", told("cold milk"))
        old = [await store.remember("u", f"tea {n}") for n in range(2)]
        assert (await facts.find_named("u", "tea")) == (None, False)
        milk, is_exact = await facts.find_named("u", "milk")
        assert milk is not None
        assert not is_exact
        assert not await facts.replace("u", "tea", told("black tea"))
        assert await texts(store) == ["cold milk", "tea 0", "tea 1"]
        former = Formerly([each.id for each in old], old[0].created_at)
        assert await facts.replace("u", "tea", told("black tea"), former)
        found, is_exact = await facts.find_named("u", "tea")
        assert found is not None
        assert is_exact
        assert found.created_at == old[0].created_at
        assert await texts(store) == ["cold milk", "black tea"]
        await store.forget("u", milk.id)
        assert await facts.replace("u", "tea", told("more tea"))


async def test_another_process_knows_what_has_gone(shared: Backend) -> None:
    """Though nothing is left of it: by the removals that are counted."""
    async with shared.open(embedder=None) as one, shared.open(embedder=None) as other:
        await facts_of(one).replace("u", "tea", told("green tea"))
        assert len(await other.recall("u", "tea")) == 1
        await facts_of(one).replace("u", "tea", told("black coffee"))
        assert [each.fact.text for each in await other.recall("u", "tea", limit=9)] != ["green tea"]
        assert [each.fact.text for each in await other.recall("u", "coffee")] == ["black coffee"]


def test_puts_from_processes_leave_one_fact_as_old_as_the_first(shared: Backend) -> None:
    """Whoever comes last."""
    start_at = time.time() + 1
    pods: list[Any] = [
        _context.Process(target=_replace_often, args=(shared.url, start_at, n), daemon=True)
        for n in range(WRITERS)
    ]
    for pod in pods:
        pod.start()
    for pod in pods:
        pod.join()
        assert pod.exitcode == 0
    asyncio.run(_expect_one(shared))


def _replace_often(url: str, start_at: float, writer: int) -> None:
    async def replace() -> None:
        async with goldfish.open_store(url, embedder=None) as store:
            await asyncio.sleep(max(0.0, start_at - time.time()))
            born = set()
            for number in range(PUTS):
                await facts_of(store).replace("u", "name", told(f"{writer} {number}"))
                found, _ = await facts_of(store).find_named("u", "name")
                assert found is not None
                born.add(found.created_at)
            assert len(born) == 1

    asyncio.run(replace())


async def _expect_one(place: Backend) -> None:
    async with place.open(embedder=None) as store:
        (text,) = await texts(store)
        assert text.endswith(f" {PUTS - 1}")
        assert [each.fact.text for each in await store.recall("u", text)] == [text]
        assert [each for each in await store.examine() if each.level == "damage"] == []


async def _write_for_ever(url: str, seed: int, begun: Any) -> None:
    async with goldfish.open_store(url, embedder=None) as store:
        await facts_of(store).replace("u", "name", told(f"{seed} first"))
        begun.set()
        for number in range(10**6):
            await facts_of(store).replace("u", "name", told(f"{seed} fact {number}"))


async def test_a_kill_leaves_the_old_fact_or_the_new_one(shared: Backend) -> None:
    """Found by its name, listed and recalled alike."""
    for number in range(KILLS[shared.name]):
        kill_amid_writes(_write_for_ever, shared.url, number)
        async with shared.open(embedder=None) as store:
            found, is_exact = await facts_of(store).find_named("u", "name")
            assert found is not None
            assert is_exact
            assert await store.list_facts("u") == [found]
            assert [each.fact for each in await store.recall("u", found.text)] == [found]
            assert [each for each in await store.examine() if each.level == "damage"] == []

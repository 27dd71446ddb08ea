"""How often a process asks its backend about facts, and that it misses nothing all the same."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from goldfish.stores.base import BaseStore
from goldfish.testing import HashEmbedder
from tests.stores.backends import Backend

EMBEDDER = HashEmbedder(48)
READS_AND_WRITES = ("changes", "find", "read", "read_unchanged", "vectors", "remember", "link")


def note_calls(store: BaseStore, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows with each call of the store's backend of facts."""
    backend, called = store._facts("u")._backend, list[str]()

    def noting(name: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def note(*values: Any) -> Any:
            called.append(name)
            return await call(*values)

        return note

    for name in READS_AND_WRITES:
        monkeypatch.setattr(backend, name, noting(name, getattr(backend, name)))
    return called


async def found(store: BaseStore, query: str, **options: Any) -> list[str]:
    return [each.fact.text for each in await store.recall("u", query, **options)]


async def test_who_knows_a_user_asks_once(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after its own writes, for pages and filters, and when nothing is found."""
    async with backend.open(embedder=EMBEDDER) as store:
        called = note_calls(store, monkeypatch)
        for number in range(5):
            await store.remember("u", f"tea number {number}", metadata={"n": number}, ttl=600)
            assert called == ["remember"]
            called.clear()
        await store.recall("u", "tea", filter={"n": 3}, limit=50)
        called.clear()
        asked: list[tuple[dict[str, Any], int]] = [
            ({}, 5),
            ({"limit": 2, "offset": 1}, 2),
            ({"filter": {"n": {"$lt": 2}}}, 2),
            ({"filter": {"n": "none"}}, 0),
            ({"offset": 9}, 0),
        ]
        for options, count in asked:
            assert len(await found(store, "tea number", **options)) == count
            assert called == ["read_unchanged"]
            called.clear()


async def test_what_others_change_is_recalled_at_once(durable: Backend) -> None:
    """Whatever it is, by a process that had asked a moment before and found nothing new."""
    async with durable.open(embedder=EMBEDDER) as here, durable.open(embedder=EMBEDDER) as there:
        tea = await here.remember("u", "I like tea")
        salt = await here.remember("u", "I like salt", metadata={"a": 1})

        async def changed(expected: set[str], **options: Any) -> None:
            assert set(await found(here, "I like", **options)) == expected
            assert set(await found(here, "I like", **options)) == expected

        await changed({tea.text, salt.text})
        await there.remember("u", "I like milk")
        await changed({tea.text, salt.text, "I like milk"})
        await there.revise("u", tea.id, "I like water")
        await changed({"I like water", salt.text, "I like milk"})
        await there.remember("u", "I like rice", metadata={"a": 1})
        await changed({salt.text, "I like rice"}, filter={"a": 1})
        await there.forget("u", salt.id)
        await changed({"I like rice"}, filter={"a": 1})
        await there.remember("u", "I LIKE RICE.")
        assert (await here.recall("u", "I like rice"))[0].fact.times_seen == 2
        await there.forget_all("u")
        await changed(set())
        await there.remember("u", "I like eggs")
        await changed({"I like eggs"})


async def test_what_comes_during_a_search_is_recalled(
    durable: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process writes after this one has searched, and before it reads what it found."""
    async with durable.open(embedder=EMBEDDER) as here, durable.open(embedder=EMBEDDER) as there:
        await here.remember("u", "the cat is Ada")
        await here.recall("u", "cat")
        backend = here._facts("u")._backend
        read = backend.read_unchanged

        async def read_late(*values: Any) -> Any:
            await there.remember("u", "the dog is Rex")
            return await read(*values)

        monkeypatch.setattr(backend, "read_unchanged", read_late)
        assert (await found(here, "Who is the dog?"))[0] == "the dog is Rex"


async def test_a_fact_whose_time_is_over_counts_no_more(durable: Backend) -> None:
    """Nobody has changed anything since; yet all scores are those of who never knew it."""
    asked: dict[str, Any] = {"query": "the dog Ada", "filter": {"is": "dog"}}
    async with durable.open(embedder=EMBEDDER) as here, durable.open(embedder=EMBEDDER) as fresh:
        rex = await here.remember("u", "the dog is Rex", metadata={"is": "dog"})
        cat = await here.remember("u", "the cat is Ada", ttl=0.5)
        await here.recall("u", **asked)
        while await here.get_fact("u", cat.id):
            await asyncio.sleep(0.05)
        ours = await here.recall("u", **asked)
        assert ours == await fresh.recall("u", **asked)
        assert [each.fact for each in ours] == [rex]
        again = await here.remember("u", "The cat is Ada")
        assert again.times_seen == 1
        assert [each.fact for each in await here.recall("u", "cat", limit=1)] == [again]


async def test_a_near_fact_that_another_process_wrote_in_between_is_linked(
    durable: Backend,
) -> None:
    """Who did not write the last fact asks what has come, before it compares its own."""
    async with durable.open(embedder=EMBEDDER) as here, durable.open(embedder=EMBEDDER) as there:
        await here.remember("u", "something else entirely")
        theirs = await there.remember("u", "the order of Ann is late again today")
        ours = await here.remember("u", "Late again today is the order of Ann!")
        assert ours.near == [theirs.id]
        last = await there.remember("u", "again today the order of Ann is late")
        assert sorted(last.near) == sorted([theirs.id, ours.id])
        assert [len(fact.near) for fact in await here.list_facts("u")] == [0, 2, 2, 2]


async def test_facts_told_at_once_are_all_known_to_their_process(backend: Backend) -> None:
    """In whatever order the answers come: all are recalled, and near ones are linked both ways."""
    async with backend.open(embedder=EMBEDDER) as store:
        told = [f"tea number {n}" for n in range(12)]
        told += ["the order of Ann is late today", "late today is the order of Ann"]
        kept = await asyncio.gather(*(store.remember("u", text) for text in told))
        assert sorted(await found(store, "tea number order", limit=50)) == sorted(told)
        listed = {fact.id: fact for fact in await store.list_facts("u")}
        assert listed[kept[-1].id].near == [kept[-2].id]
        assert listed[kept[-2].id].near == [kept[-1].id]

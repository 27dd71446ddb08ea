"""A call repeated with its key changes nothing: asked of every store, on real servers."""

import asyncio
from typing import Any

import pytest

from goldfish import ChatMessage, MemoryStoreError
from goldfish.stores.base import BaseStore
from tests.stores.backends import Backend

KEYS = ["k", "", "\0'; --", "\ud800", "用户" * 500]


def opened(backend: Backend, **options: Any) -> BaseStore:
    return backend.open(**{"embedder": None} | options)


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


async def contents(store: BaseStore, session: str) -> list[Any]:
    return [message.content for message in await store.get_history(session)]


@pytest.mark.parametrize("key", KEYS)
async def test_a_fact_told_again_with_its_key_counts_once(backend: Backend, key: str) -> None:
    """The repeated call returns the fact as it is; another key, or none, counts again."""
    async with opened(backend) as store:
        first = await store.remember("u", "I live in Berlin", key=key)
        again = await store.remember("u", "I live in Berlin", key=key)
        assert again == first
        assert (await store.remember("u", "I live in Berlin", key=key + "2")).times_seen == 2
        assert (await store.remember("u", "I live in Berlin", key=key + "2")).times_seen == 2
        assert (await store.remember("u", "I live in Berlin")).times_seen == 3
        assert (await store.remember("other", "I live in Berlin", key=key)).id != first.id


async def test_a_key_stands_for_the_first_text(backend: Backend) -> None:
    """A repeated call with another text stores nothing: the first one stays."""
    async with opened(backend) as store:
        first = await store.remember("u", "I live in Berlin", key="k")
        assert await store.remember("u", "I live in Bonn", key="k") == first
        assert await store.list_facts("u") == [first]


async def test_a_forgotten_fact_takes_its_key_along(backend: Backend) -> None:
    """What was forgotten may be told again, with the same key too."""
    async with opened(backend) as store:
        first = await store.remember("u", "I live in Berlin", key="k")
        await store.remember("u", "I like tea")
        await store.forget("u", first.id)
        second = await store.remember("u", "I live in Berlin", key="k")
        assert second.id != first.id
        await store.forget_all("u")
        third = await store.remember("u", "I live in Berlin", key="k")
        assert await store.list_facts("u") == [third]


async def test_a_repeated_revision_does_not_undo_a_later_one(backend: Backend) -> None:
    """Nor is the text that it replaced in the history twice."""
    async with opened(backend) as store:
        fact = await store.remember("u", "I live in Berlin", key="k")
        await store.revise("u", fact.id, "I live in Bonn", key="k")
        await store.revise("u", fact.id, "I live in Rome")
        now = await store.revise("u", fact.id, "I live in Bonn", key="k")
        assert now.text == "I live in Rome"
        assert [old.text for old in await store.fact_history("u", fact.id)] == [
            "I live in Berlin",
            "I live in Bonn",
        ]
        other = await store.remember("u", "I like tea")
        assert (await store.revise("u", other.id, "I like milk", key="k")).text == "I like milk"


@pytest.mark.parametrize("key", KEYS)
async def test_a_snapshot_saved_again_with_its_key_is_the_same(backend: Backend, key: str) -> None:
    """It shows what there was at first, under one id; other sessions and keys have their own."""
    async with opened(backend) as store:
        await store.add_messages("s", said("one"))
        first = await store.save_snapshot("s", label="first", key=key)
        await store.add_messages("s", said("two"))
        assert await store.save_snapshot("s", label="again", key=key) == first
        (snapshot,) = await store.list_snapshots("s")
        assert (snapshot.id, snapshot.label, snapshot.message_count) == (first, "first", 1)
        assert await store.save_snapshot("other", key=key) != first
        assert await store.save_snapshot("s", key=key + "2") != first
        await store.rollback_to_snapshot("s", first)
        assert await contents(store, "s") == ["one"]


async def test_a_fork_repeated_with_its_key_leaves_the_session_alone(backend: Backend) -> None:
    """Also if it was added to, rolled back or trimmed since; without the key it is refused."""
    async with opened(backend) as store:
        await store.add_messages("s", said("one"))
        snapshot = await store.save_snapshot("s")
        await store.fork("s", snapshot, "new", key="k")
        await store.add_messages("new", said("two"))
        await store.fork("s", snapshot, "new", key="k")
        assert await contents(store, "new") == ["one", "two"]
        for key in ("other", None):
            with pytest.raises(MemoryStoreError, match="fork into another"):
                await store.fork("s", snapshot, "new", key=key)
        own = await store.save_snapshot("new")
        await store.trim("new", keep_last=1)
        await store.fork("s", snapshot, "new", key="k")
        assert await contents(store, "new") == ["two"]
        await store.rollback_to_snapshot("new", own)
        await store.fork("s", snapshot, "new", key="k")
        assert await contents(store, "new") == ["one", "two"]
        await store.clear("new")
        await store.fork("s", snapshot, "new", key="k")
        assert await contents(store, "new") == ["one"]


async def test_of_an_empty_snapshot_a_repeated_fork_adds_nothing(backend: Backend) -> None:
    """Whether the first one added anything does not matter."""
    async with opened(backend) as store:
        snapshot = await store.save_snapshot("s")
        await store.fork("s", snapshot, "new", key="k")
        await store.fork("s", snapshot, "new", key="k")
        assert await contents(store, "new") == []


async def test_calls_with_one_key_at_once_are_one_call(durable: Backend) -> None:
    """Several stores that repeat a call at the same moment do it once between them."""
    async with opened(durable) as one, opened(durable) as two:
        await one.add_messages("s", said("one"))
        calls = [store.remember("u", "I like tea", key="k") for store in (one, two) * 5]
        assert {fact.id for fact in await asyncio.gather(*calls)} == {
            (await one.list_facts("u"))[0].id
        }
        assert [fact.times_seen for fact in await two.list_facts("u")] == [1]
        saved = await asyncio.gather(*(each.save_snapshot("s", key="k") for each in (one, two) * 5))
        assert len(set(saved)) == len(await two.list_snapshots("s")) == 1
        await asyncio.gather(*(each.fork("s", saved[0], "new", key="k") for each in (one, two) * 5))
        assert await contents(two, "new") == ["one"]


async def test_a_key_outlives_the_store_that_saw_it(durable: Backend) -> None:
    """A call repeated by the next process is known, too."""
    async with opened(durable) as store:
        fact = await store.remember("u", "I like tea", key="k")
        await store.add_messages("s", said("one"))
        snapshot = await store.save_snapshot("s", key="k")
        await store.fork("s", snapshot, "new", key="k")
        await store.revise("u", fact.id, "I like milk", key="k")
        await store.revise("u", fact.id, "I like water")
    async with opened(durable) as store:
        assert (await store.remember("u", "I like tea", key="k")).text == "I like water"
        assert (await store.revise("u", fact.id, "I like milk", key="k")).text == "I like water"
        assert await store.save_snapshot("s", key="k") == snapshot
        await store.fork("s", snapshot, "new", key="k")
        assert await contents(store, "new") == ["one"]


async def test_a_key_is_text(backend: Backend) -> None:
    """Anything else is refused before anything is written."""
    async with opened(backend) as store:
        with pytest.raises(TypeError, match="key must be a string"):
            await store.remember("u", "I like tea", key=7)  # type: ignore[arg-type]
        assert await store.list_facts("u") == []

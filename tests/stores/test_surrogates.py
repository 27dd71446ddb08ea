"""Half characters in every text that a store takes: two that form a pair are not one character."""

import asyncio
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldfish import ChatMessage
from goldfish.testing import HashEmbedder
from tests.stores.backends import Backend

SPLIT, WHOLE = "\ud83d\ude00", "😀"
BOTH = [SPLIT, WHOLE]
any_halves = st.text(st.sampled_from("\ud83d\ude00😀\\/a"), min_size=1, max_size=6)


def rich(text: str) -> ChatMessage:
    """A message with the text in every field."""
    nested: dict[str, Any] = {text: [{text: text}]}
    return ChatMessage(
        role=text,
        content=[{"type": text, text: [text]}],
        id=text,
        name=text,
        tool_call_id=text,
        tool_calls=[nested],
        metadata=nested,
    )


async def test_every_field_of_a_message_comes_back_as_it_was_given(backend: Backend) -> None:
    """A pair of halves stays a pair, beside the character that it is not."""
    sent = [rich(SPLIT), rich(WHOLE), ChatMessage(role="user", content=SPLIT + WHOLE, id="3")]
    async with backend.open() as store, backend.open() as reader:
        await store.add_messages("s", sent)
        assert await reader.get_history("s") == sent


async def test_a_message_is_deleted_by_the_id_that_was_read(backend: Backend) -> None:
    """And no other message goes with it."""
    async with backend.open() as store:
        await store.add_messages("s", [rich(SPLIT), rich(WHOLE)])
        first, second = await store.get_history("s")
        await store.delete_messages("s", [first.id])
        assert await store.get_history("s") == [second]
        await store.delete_messages("s", [second.id])
        assert await store.get_history("s") == []


async def test_sessions_state_and_snapshots_are_told_apart(backend: Backend) -> None:
    """By id, name, value, label and user, in the session itself, in a snapshot and in a fork."""
    async with backend.open() as store, backend.open() as reader:
        values = {text: {text: [text]} for text in BOTH}
        for text in BOTH:
            await store.add_messages(text, [rich(text)])
            await store.set_state(text, values)
            await store.set_state("any", {text: text}, user_id=text)
            saved = await store.save_snapshot(text, label=text)
            await store.fork(text, saved, "fork of " + text)
        assert set(await reader.list_sessions()) == {*BOTH, *("fork of " + text for text in BOTH)}
        assert await reader.list_sessions(SPLIT[:1]) == [SPLIT]
        for text in BOTH:
            assert await reader.list_sessions(text) == [text]
            assert await reader.get_history(text) == await reader.get_history("fork of " + text)
            assert [each.id for each in await reader.get_history(text)] == [text]
            assert await reader.get_state(text) == values
            assert await reader.get_state("any", user_id=text) == {text: text}
            assert [each.label for each in await reader.list_snapshots(text)] == [text]


async def test_facts_are_told_apart(durable: Backend) -> None:
    """By user, text, metadata and key; and found by the words beside them."""
    embedder = HashEmbedder()
    async with durable.open(embedder=embedder) as store, durable.open(embedder=embedder) as reader:
        for text in BOTH:
            for said in BOTH:
                fact = await store.remember(text, f"{said} lives here", metadata={said: [text]})
                await store.remember(text, f"{said} comes back", key=said)
                await store.revise(text, fact.id, f"{said} lived there")
        for text in BOTH:
            facts = await reader.list_facts(text)
            texts = {fact.text for fact in facts}
            assert texts == {
                f"{each} {how}" for each in BOTH for how in ("lived there", "comes back")
            }
            assert [fact.metadata for fact in facts if fact.metadata] == [
                {each: [text]} for each in BOTH
            ]
            found = await reader.recall(text, "lived", limit=9)
            assert {f"{each} lived there" for each in BOTH} <= {each.fact.text for each in found}


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_any_texts_come_back_from_any_session(durable: Backend, data: st.DataObject) -> None:
    """Whatever halves they are made of, as ids, contents and names of values."""
    texts = data.draw(st.lists(any_halves, unique=True, max_size=4))
    sent = [rich(text) for text in texts]

    async def ask() -> None:
        async with durable.open() as store:
            await store.clear_all()
            for text in texts:
                await store.add_messages(text, sent)
                await store.set_state(text, dict.fromkeys(texts, text))
            assert set(await store.list_sessions()) == set(texts)
            for text in texts:
                assert await store.get_history(text) == sent
                assert await store.get_state(text) == dict.fromkeys(texts, text)

    asyncio.run(ask())

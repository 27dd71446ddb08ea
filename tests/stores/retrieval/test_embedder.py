"""Facts with the real model: what is found by meaning, and what is never taken for the same."""

import asyncio

import pytest

import goldfish
from goldfish.embedding import why_not
from goldfish.stores.retrieval.embedder import LazyEmbedder
from goldfish.testing import HashEmbedder

TRAPS = [
    ("the order 8892 is late", "the order 8893 is late"),
    ("the alarm is enabled", "the alarm is disabled"),
    ("the user is allergic to nuts", "the user is not allergic to nuts"),
    ("the user likes Django", "the user does not like Django"),
    ("Ann prefers tea", "Tom prefers tea"),
]


@pytest.fixture
def store() -> goldfish.InMemoryStore:
    if reason := why_not():
        pytest.skip(reason)
    return goldfish.InMemoryStore()


async def test_facts_that_an_embedding_takes_for_equal_stay_apart(
    store: goldfish.InMemoryStore,
) -> None:
    """Other numbers, names or negations: two facts, and not even linked."""
    told = [text for pair in TRAPS for text in pair]
    facts = [await store.remember("u", text) for text in told]
    assert [fact.text for fact in await store.list_facts("u")] == told
    assert [fact.near for fact in facts] == [[]] * len(told)


async def test_the_same_in_other_words_is_linked(store: goldfish.InMemoryStore) -> None:
    """A near-duplicate is stored, and both name each other."""
    one = await store.remember("u", "The user lives in Berlin")
    other = await store.remember("u", "The user is living in Berlin")
    assert other.near == [one.id]
    assert (await store.list_facts("u"))[0].near == [other.id]


async def test_a_paraphrase_is_found(store: goldfish.InMemoryStore) -> None:
    """A question that shares no word with its answer."""
    for text in (
        "the user likes lightweight web frameworks such as Flask",
        "the user's cat is called Whiskers",
        "the user plays the cello in an orchestra",
        "the user is a vegetarian",
    ):
        await store.remember("u", text)
    for query, word in {
        "what pet does she own?": "cat",
        "which musical instrument does he practise?": "cello",
        "can we order a steak for them?": "vegetarian",
    }.items():
        (best,) = await store.recall("u", query, limit=1)
        assert word in best.fact.text, query
        assert best.why["meaning"] > best.why["words"]


async def test_the_end_of_a_long_text_is_found(store: goldfish.InMemoryStore) -> None:
    """What lies beyond the model's window has a vector of its own."""
    filler = "They talked about the weather, the traffic and the news of the day. " * 40
    await store.remember("u", filler + "At last she told him that the spare key is under the pot.")
    await store.remember("u", "the user works in a bank")
    await store.remember("u", "the user likes hiking")
    found = await store.recall("u", "Where can I find something to unlock the door?")
    assert found[0].fact.text.startswith("They talked")


def test_an_embedder_is_an_embedder_or_none() -> None:
    """Anything else is refused when the store is made."""
    with pytest.raises(TypeError, match="words alone"):
        goldfish.InMemoryStore(embedder="minilm")  # type: ignore[arg-type]
    assert asyncio.run(LazyEmbedder(None).prepare()) == ("", 0)
    assert asyncio.run(LazyEmbedder(None).encode("x")) is None
    assert asyncio.run(LazyEmbedder(HashEmbedder(8)).prepare()) == ("hash-8", 8)
    (stored,) = asyncio.run(LazyEmbedder(HashEmbedder(8)).encode_to_store(["x"], "<f4"))
    assert len(stored) == 32

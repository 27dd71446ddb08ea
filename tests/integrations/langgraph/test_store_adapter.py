"""LangGraph's stores behind the methods of a memory, and what goldfish finds in each."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

pytest.importorskip("langgraph.pregel")
pytest.importorskip("langgraph.store.sqlite")
pytest.importorskip("langgraph.store.postgres")

from langgraph.store.base import IndexConfig
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import AsyncSqliteStore, SqliteStore

import goldfish
from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.harness.local import find_methods
from goldfish.integrations.langgraph.store_adapter import (
    LangGraphStoreMemory,
    namespace,
    split_text,
)
from goldfish.targets.names import resolve
from goldfish.testing import HashEmbedder

METHODS = {"remember", "recall", "list_facts", "get_fact", "revise", "forget"}
RIGHT = "ISO23 ISO25 ISO27 FID33 REV03 REV07 REC12 REC13 REC15"
LACKING = "ISO28 REV06 DUP05 REC14 FID35"
FOUND = {
    "langgraph-store-memory": {
        "held": f"{RIGHT} CON20 REC16",
        "broken": "FID32 FID34 REC19 REV50 REV51",
        "unsupported": f"{LACKING} TTL22 DUR23 DUR24",
    },
    "langgraph-store-sqlite": {
        "held": f"{RIGHT} FID32 FID34 CON20 DUR23 REC16",
        "broken": "REC18 REC19 REC21 REV51 TTL22",
        "unsupported": LACKING,
    },
    "langgraph-store-sqlite-async": {
        "held": f"{RIGHT} FID32 FID34 DUR23 REC16",
        "broken": "REC18 REC21 REV51",
        "unsupported": LACKING,
    },
    "langgraph-store-postgres": {
        "held": "ISO23 FID34 REC11 REC16 REC18 REC52",
        "broken": "REC17 REC50 REV50",
        "unsupported": "DUP05",
    },
    "langgraph-store-postgres-async": {
        "held": "FID33 REC21",
        "broken": "REC17",
        "unsupported": "REC14",
    },
}


@pytest.fixture
def _words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found here is found with any embedder, and this one costs nothing."""
    targets = "goldfish.integrations.langgraph.targets.stores"
    monkeypatch.setattr(f"{targets}.why_not", lambda: "words are enough here")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LangGraphStoreMemory]:
    """A store of facts over a store in a file."""
    with SqliteStore.from_conn_string(str(tmp_path / "store.sqlite")) as opened:
        opened.setup()
        yield goldfish.adapt.langgraph_store(opened)


def indexed() -> InMemoryStore:
    """A store whose index embeds the field in which the facts are."""
    embedder = HashEmbedder(64)

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[float(each) for each in row] for row in embedder.encode(list(texts))]

    index: IndexConfig = {"dims": 64, "embed": embed, "fields": ["text"]}
    return InMemoryStore(index=index)


@pytest.mark.usefixtures("_words_alone")
@pytest.mark.parametrize("name", FOUND)
def test_each_store_is_blamed_for_its_faults_only(name: str) -> None:
    """Filters mistake kinds, and updates make young; round trips and users are held."""
    expected = {code: said for said, codes in FOUND[name].items() for code in codes.split()}
    checks = [check for code, check in catalogue().items() if code in expected]
    report = run(resolve(name), checks, Plan(seed=1, workers=2, deadline=60.0))
    found = {result.code: result.verdict.value for result in report.results}
    assert found == expected


def test_facts_are_put_got_replaced_and_deleted(store: LangGraphStoreMemory) -> None:
    """Each user is a namespace of their own."""
    tea = store.remember("ann", "Ann likes tea", metadata={"topic": "drinks"})
    store.remember("bob", "Bob likes jazz")
    assert [each.text for each in store.list_facts("ann")] == ["Ann likes tea"]
    store.revise("ann", tea.id, "Ann likes coffee")
    found = store.get_fact("ann", tea.id)
    assert found is not None
    assert (found.text, found.metadata) == ("Ann likes coffee", {"topic": "drinks"})
    assert store.get_fact("bob", tea.id) is None
    with pytest.raises(LookupError, match="remember it first"):
        store.revise("bob", tea.id, "Bob likes coffee")
    store.forget("ann", tea.id)
    assert store.list_facts("ann") == []
    assert [each.text for each in store.list_facts("bob")] == ["Bob likes jazz"]


def test_metadata_may_have_the_name_of_the_words(store: LangGraphStoreMemory) -> None:
    """The field in which the words are takes no name away from metadata and filters."""
    metadata = {"text": "a letter", "text_": "another", "topic": "post"}
    store.remember("ann", "Ann wrote", metadata=metadata)
    store.remember("ann", "Ann read", metadata={"text": "a book"})
    (fact,) = store.list_facts("ann", filter={"text": "a letter"})
    assert (fact.text, fact.metadata) == ("Ann wrote", metadata)


def test_what_a_store_does_not_offer_is_not_asked(store: LangGraphStoreMemory) -> None:
    """Without an index nothing is recalled, and without support for it nothing has a time."""
    assert set(find_methods(store)) == METHODS - {"recall"}
    assert "no index" in store.lacking["recall"]
    assert find_methods(store)["remember"] == ["user_id", "text", "metadata", "ttl"]
    in_memory = goldfish.adapt.langgraph_store(indexed())
    assert set(find_methods(in_memory)) == METHODS
    assert find_methods(in_memory)["remember"] == ["user_id", "text", "metadata"]


def test_a_recall_is_a_search_in_pages_and_with_filters() -> None:
    """Best first, by the field that the index embeds."""
    memory = goldfish.adapt.langgraph_store(indexed())
    for number, text in enumerate(["the red bicycle", "the bicycle", "a piano"]):
        memory.remember("ann", text, metadata={"n": number})
    found = memory.recall("ann", "the bicycle", limit=2)
    assert [each.fact.text for each in found] == ["the bicycle", "the red bicycle"]
    assert found[0].score > found[1].score
    (second,) = memory.recall("ann", "the bicycle", limit=1, offset=1)
    assert second.fact.text == "the red bicycle"
    (first,) = memory.recall("ann", "the bicycle", filter={"n": {"$lt": 1}})
    assert first.fact.text == "the red bicycle"


async def test_an_async_store_is_awaited(tmp_path: Path) -> None:
    """With the same methods, as coroutines."""
    async with AsyncSqliteStore.from_conn_string(str(tmp_path / "store.sqlite")) as opened:
        await opened.setup()
        memory = goldfish.adapt.langgraph_store(opened, asynchronous=True)
        told = await asyncio.gather(*(memory.remember("ann", f"fact {n}") for n in range(3)))
        await memory.revise("ann", told[0].id, "fact 9")
        await memory.forget("ann", told[1].id)
        listed = await memory.list_facts("ann")
        assert sorted(each.text for each in listed) == ["fact 2", "fact 9"]


def test_namespaces_of_any_two_users_differ() -> None:
    """Also where the library takes no full stop."""
    users = ["a.b", "a\\pb", "a\\\\pb", "a\\.b", "ab"]
    assert len({namespace(user) for user in users}) == len(users)
    assert not any("." in namespace(user)[1] for user in users)


@pytest.mark.parametrize("text", ["", "short", "x" * 999, "word " * 300, " \n" * 500])
def test_the_parts_of_a_text_are_all_of_it(text: str) -> None:
    """In pieces that an embedder reads whole."""
    parts = split_text(text)
    assert "".join(parts) == text
    assert max(map(len, parts)) <= 201

"""Our stores as a ``BaseStore`` of LangGraph: its interface, its small print, and the catalogue."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph.pregel")
pytest.importorskip("numpy")

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, GetOp, Op, PutOp, SearchOp

import goldfish
from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.errors import UnstorableError
from goldfish.findings.result import Verdict
from goldfish.integrations.langgraph.store import Store
from goldfish.targets.names import resolve
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS

TARGETS = Path(__file__).with_name("store_targets.py")
ANN = ("users", "ann")
ASKED = {
    "sqlite": "ISO23 ISO25 ISO29 DUR23 FID32 FID33 FID34 CON19 CON20 REV01 REV02 REV07 REV50 REV51 "
    "REC11 REC13 REC16 REC17 REC19 REC21 REC50 REC51 TTL22 DUP08",
    "sqlite_sync": "ISO23 FID33 CON19 REC12",
    "redis": "ISO23 ISO29 FID32 FID33 FID34 CON19 REV01 REV51 REC50",
    "postgres": "ISO23 ISO29 FID32 FID33 CON19 CON21 REV01 REC50",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store of LangGraph over a file."""
    memory = goldfish.SQLiteMemoryStore(tmp_path / "a.db", embedder=HashEmbedder())
    yield Store(memory)
    goldfish.blocking(memory).close()


@pytest.mark.parametrize("name", ASKED)
def test_the_catalogue_holds(name: str) -> None:
    """A sample of the promises, asked of our stores through LangGraph's interface."""
    pytest.importorskip({"redis": "redis", "postgres": "psycopg"}.get(name, "goldfish"))
    checks = [catalogue()[code] for code in ASKED[name].split()]
    report = run(resolve(f"{TARGETS}:{name}"), checks, Plan(seed=1, workers=2, deadline=60.0))
    assert [each for each in report.results if each.verdict is not Verdict.HELD] == []


async def test_a_value_is_replaced_and_keeps_its_age(store: Store) -> None:
    """One item for one key, as old as its first value."""
    await store.aput(ANN, "town", {"in": "Rome"})
    first = await store.aget(ANN, "town")
    await store.aput(ANN, "town", {"in": "Oslo"})
    await store.aput(ANN, "town", {"in": "Lima"})
    (found,) = await store.asearch(ANN)
    assert first is not None
    assert (found.value, found.created_at) == ({"in": "Lima"}, first.created_at)
    assert found.updated_at > first.updated_at
    await store.adelete(ANN, "town")
    await store.adelete(ANN, "town")
    assert await store.aget(ANN, "town") is None
    assert await store.asearch(ANN) == []


async def test_equal_values_under_two_keys_are_two_items(store: Store) -> None:
    """What is told apart are keys, and not what values say."""
    for key in ("1", "2"):
        await store.aput(ANN, key, {"says": "the same"})
    await store.adelete(ANN, "1")
    assert [each.key for each in await store.asearch(ANN)] == ["2"]


async def test_puts_of_one_key_at_once_leave_one_of_the_values(store: Store) -> None:
    """Whoever comes last; nobody sees two, or none."""
    await store.aput(ANN, "n", {"n": -1})
    await asyncio.gather(
        *(store.aput(ANN, "n", {"n": number}) for number in range(8)),
        *(_expect_one(store) for _ in range(8)),
    )
    await _expect_one(store)
    kept = await store.store._facts("").page('langgraph-store:["users","ann"]', _all(), 0, None)
    assert len(kept) == 1


async def _expect_one(store: Store) -> None:
    assert len(await store.asearch(ANN)) == 1
    assert await store.aget(ANN, "n") is not None


def _all() -> Any:
    from goldfish.stores.facts.filters import parse

    return parse(None)


async def test_namespaces_are_exact_and_searched_by_their_beginning(store: Store) -> None:
    """A label is a label: no prefix of it, no pattern; at any depth."""
    namespaces = [("a",), ("a", "b"), ("a", "b", "c"), ("ab",), ("a_",), ("A",), ("a", "*")]
    for each in namespaces:
        await store.aput(each, "key", {"of": list(each)})
    found = {each.namespace for each in await store.asearch(("a",))}
    assert found == {("a",), ("a", "b"), ("a", "b", "c"), ("a", "*")}
    assert {each.namespace for each in await store.asearch(())} == set(namespaces)
    assert [each.namespace for each in await store.asearch(("a_",))] == [("a_",)]
    assert await store.alist_namespaces(prefix=("a",), max_depth=2) == [
        ("a",),
        ("a", "*"),
        ("a", "b"),
    ]
    assert await store.alist_namespaces(suffix=("b",)) == [("a", "b")]
    assert await store.alist_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c")]
    await store.adelete(("ab",), "key")
    assert ("ab",) not in await store.alist_namespaces()
    assert await store.alist_namespaces(limit=1, offset=1) == [("a",)]


async def test_a_query_gives_scores_and_pages_best_first(store: Store) -> None:
    """What is not indexed comes last, without a score."""
    await store.aput(ANN, "red", {"says": "the red bicycle"})
    await store.aput(ANN, "plain", {"says": "the bicycle"})
    await store.aput(ANN, "hidden", {"says": "the bicycle"}, index=False)
    await store.aput(ANN, "aside", {"says": "a piano", "note": "the bicycle"}, index=["says"])
    found = await store.asearch(ANN, query="the bicycle")
    assert [each.key for each in found][:2] == ["plain", "red"]
    assert found[-1].key == "hidden"
    assert found[-1].score is None
    assert found[0].score is not None
    pages = [await store.asearch(ANN, query="the bicycle", limit=1, offset=n) for n in range(5)]
    assert [each.key for page in pages for each in page] == [each.key for each in found]


async def test_fields_say_what_a_value_is_found_by(store: Store) -> None:
    """As the index of LangGraph's own stores does."""
    by_title = Store(store.store, fields=["title"])
    await by_title.aput(ANN, "1", {"title": "gardening", "body": "the piano " * 20})
    await by_title.aput(ANN, "2", {"title": "music", "body": "gardening " * 20})
    first, *_ = await by_title.asearch(ANN, query="gardening")
    assert first.key == "1"


async def test_filters_choose_and_compare(store: Store) -> None:
    """With the operators of LangGraph, numbers as numbers; an odd value breaks no query."""
    for value in (9, 10, 100, "many", None, True, 1):
        await store.aput(ANN, repr(value), {"n": value})

    async def chosen(wanted: Any) -> set[str]:
        return {each.key for each in await store.asearch(ANN, filter={"n": wanted})}

    assert await chosen({"$gte": 10}) == {"10", "100"}
    assert await chosen({"$gt": 1, "$lt": 100}) == {"9", "10"}
    assert await chosen({"$eq": 1}) == await chosen(1) == {"1"}
    assert await chosen({"$eq": 10, "$gt": 9}) == {"10"}
    assert await chosen({"$ne": 9}) == {"10", "100", "'many'", "None", "True", "1"}
    with pytest.raises(ValueError, match=r"use \$gt"):
        await chosen({"$near": 1})


async def test_what_would_not_come_back_is_refused_with_its_batch(store: Store) -> None:
    """Before anything of the batch is written."""
    for odd in (object(), {1: "one"}, {1, 2}, b"\xff"):
        batch = [PutOp(ANN, "fine", {"a": 1}), PutOp(ANN, "odd", {"odd": odd})]
        with pytest.raises(UnstorableError):
            await store.abatch(batch)
    assert await store.asearch(ANN) == []
    with pytest.raises(ValueError, match="more than 0 minutes"):
        await store.aput(ANN, "gone", {"a": 1}, ttl=0)


async def test_a_batch_reads_before_it_writes_and_the_last_put_counts(store: Store) -> None:
    """As LangGraph's own stores do."""
    await store.aput(ANN, "a", {"n": 0})
    ops: list[Op] = [
        PutOp(ANN, "a", {"n": 1}),
        GetOp(ANN, "a"),
        SearchOp(ANN),
        PutOp(ANN, "a", {"n": 2}),
    ]
    results: list[Any] = await store.abatch(ops)
    put, got, found, _ = results
    assert put is None
    assert got.value == {"n": 0}
    assert [each.value for each in found] == [{"n": 0}]
    (item,) = await store.asearch(ANN)
    assert item.value == {"n": 2}


async def test_an_item_has_its_time(store: Store) -> None:
    """In minutes, that of the store if the put names none; None is for good."""
    brief = Store(store.store, ttl={"default_ttl": 0.2 / 60})
    await brief.aput(ANN, "brief", {"a": 1})
    await brief.aput(ANN, "long", {"a": 1}, ttl=10)
    await brief.aput(ANN, "lasting", {"a": 1}, ttl=None)
    while await brief.aget(ANN, "brief") is not None:
        await asyncio.sleep(0.02)
    assert {each.key for each in await brief.asearch(ANN)} == {"long", "lasting"}
    with pytest.raises(ValueError, match="refresh_on_read is not supported"):
        Store(store.store, ttl={"refresh_on_read": True})


@pytest.mark.parametrize("name", ["memory", "sqlite", "redis", "postgres"])
def test_the_sync_methods_work_from_many_threads(name: str, tmp_path: Path) -> None:
    """Also from a thread in which an event loop runs."""
    with BACKENDS[name](tmp_path) as place, goldfish.blocking(place.open(embedder=None)) as memory:
        store = Store(memory.store)
        threads = [
            threading.Thread(target=store.put, args=(ANN, str(n), {"n": n}), name="putting")
            for n in range(4)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert {each.key for each in store.search(ANN, limit=10)} == {"0", "1", "2", "3"}
        assert store.get(ANN, "2") is not None
        store.delete(ANN, "2")
        assert store.get(ANN, "2") is None

        async def put_within_a_loop() -> None:
            store.put(ANN, "2", {"n": 2})

        asyncio.run(put_within_a_loop())
        assert store.get(ANN, "2") is not None
        assert store.list_namespaces() == [ANN]


async def test_a_graph_remembers_by_it(store: Store) -> None:
    """A node asks for the store by its parameter, as with any other."""

    async def note(state: MessagesState, *, store: BaseStore) -> dict[str, list[Any]]:
        await store.aput(ANN, "last", {"said": state["messages"][-1].content})
        return {"messages": []}

    graph = StateGraph(MessagesState)
    graph.add_node("note", note)
    graph.add_edge(START, "note")
    said: Any = {"messages": [("user", "hello")]}
    await graph.compile(store=store).ainvoke(said)
    item = await store.aget(ANN, "last")
    assert item is not None
    assert item.value == {"said": "hello"}

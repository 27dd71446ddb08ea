"""What a process knows of facts and sessions when building it fails half-way: as if not begun.

After any failure the next call gives what a process that was just started gives: the answer, or the
same error. And what a backend has acknowledged is never told as an error.
"""

import asyncio
import contextlib
import random
import sqlite3
import threading
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import goldfish
from goldfish import ChatMessage, MemoryStoreBackendError
from goldfish.errors import EmbedderError
from goldfish.stores.base import BaseStore
from goldfish.stores.facts import engine, linking
from goldfish.stores.facts.likeness import are_alike
from goldfish.stores.retrieval.columns import Hashes
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS, Backend

HASH = HashEmbedder(48)
EXTREME = ["9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59.999999"]
TEXTS = [f"{what} number {n}" for n, what in enumerate(["tea", "milk", "salt", "rice", "tea"])]


@pytest.fixture(params=["sqlite", "redis", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place that several stores can be opened on, on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A SQLite file, in which a row can be damaged."""
    return tmp_path / "memory.db"


def opened(place: Backend | Path, **options: Any) -> Any:
    """A store that knows nothing yet."""
    options = {"embedder": HASH, **options}
    if isinstance(place, Path):
        return goldfish.SQLiteMemoryStore(place, **options)
    return place.open(**options)


async def fill(store: BaseStore) -> None:
    for text in TEXTS:
        await store.remember("u", text)
        await store.add_messages("s", [ChatMessage(role="user", content=text)])


async def recalled(store: Any) -> Any:
    return await store.recall("u", "tea number 3", limit=50)


async def found(store: Any) -> Any:
    return await store.search_history(["s"], "tea number 3", limit=50)


ASKING: list[Callable[[Any], Any]] = [recalled, found]


@pytest.mark.parametrize("moment", EXTREME)
async def test_a_fact_may_be_of_any_time(place: Backend, moment: str) -> None:
    """It is remembered, recalled with all others in every process, and compared as a time."""
    async with opened(place) as store:
        await fill(store)
        fact = await store.remember("u", "the end or the beginning", metadata={"at": moment})
        assert fact.metadata == {"at": moment}
        await store.remember("u", "in between", metadata={"at": "2026-01-01"})
        lived = await recalled(store)
        late = {"at": {"$gt": "2026-06-01"}}
        texts = [fact.text for fact in await store.list_facts("u", filter=late)]
        assert texts == (["the end or the beginning"] if moment[0] == "9" else [])
        early = {"at": {"$lte": "2026-06-01T00:00:00+09:00"}}
        assert len(await store.recall("u", "tea", filter=early)) == (2 if moment[0] == "0" else 1)
        (same,) = await store.list_facts("u", filter={"at": moment})
        assert same.id == fact.id
    async with opened(place) as fresh:
        assert await recalled(fresh) == lived
        assert len(lived) == len(TEXTS) + 2
        assert (await fresh.recall("u", "the end in December 9999"))[0].fact.id == fact.id


DAMAGES = [
    ("said", "{"),
    ("said", "[]"),
    ("said", '{"updated_at": "2026-01-01T00:00:00+00:00"}'),
    ("base", "{}"),
    ("near", "7"),
    ("vectors", b"odd"),
]


def damaged(file: Path, column: str, value: str | bytes, number: int) -> Any:
    """Damage one stored fact; return how it was."""
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        where = "rowid = (SELECT rowid FROM goldfish_facts ORDER BY seq LIMIT 1 OFFSET ?)"
        (before,) = connection.execute(
            f"SELECT {column} FROM goldfish_facts WHERE {where}", (number,)
        ).fetchone()
        connection.execute(f"UPDATE goldfish_facts SET {column} = ? WHERE {where}", (value, number))
    return before


@pytest.mark.parametrize("number", [0, 4, 7])
@pytest.mark.parametrize(("column", "value"), DAMAGES)
async def test_a_damaged_fact_is_an_error_until_it_is_mended(
    file: Path, column: str, value: str | bytes, number: int
) -> None:
    """Never an answer without the facts that were read after it, nor without those before."""
    async with opened(file) as here, opened(file) as there:
        await fill(here)
        early = await recalled(here)
        for text in TEXTS:
            await there.remember("u", f"some more {text}")
        before = damaged(file, column, value, number)
        news = number >= len(TEXTS)  # of the others this process knows enough already
        async with opened(file) as fresh:
            for store in (fresh, fresh, *([here, here] if news else [])):
                with pytest.raises(MemoryStoreBackendError, match="damaged"):
                    await recalled(store)
        damaged(file, column, before, number)
        async with opened(file) as fresh:
            expected = await recalled(fresh)
        assert await recalled(here) == expected
        assert len(expected) == 2 * len(early)


async def test_what_is_stored_is_returned_though_another_fact_is_damaged(file: Path) -> None:
    """New, said again or revised: the write was acknowledged, and only linking it failed."""
    async with opened(file) as store:
        await fill(store)
        first = await store.remember("u", "I like tea", metadata={"n": 1})
    damaged(file, "said", "{", 2)
    async with opened(file) as store:
        new = await store.remember("u", "I like milk", metadata={"n": 2})
        again = await store.remember("u", "i LIKE tea.", metadata={"n": 3})
        revised = await store.revise("u", new.id, "I like salt")
    assert (new.text, new.metadata, new.times_seen) == ("I like milk", {"n": 2}, 1)
    assert again == first.model_copy(update={"times_seen": 2})
    assert revised == new.model_copy(
        update={"text": "I like salt", "updated_at": revised.updated_at}
    )
    damaged(file, "said", '{"text":"x","updated_at":"2026-01-01T00:00:00+00:00"}', 2)
    async with opened(file) as store:
        assert await store.get_fact("u", new.id) == revised
        assert await store.get_fact("u", first.id) == again


@pytest.mark.parametrize("step", ["changes", "link"])
async def test_what_is_stored_is_returned_though_the_backend_fails_right_after(
    place: Backend,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    step: str,
) -> None:
    """The caller would say it again, and it would count twice; operators are told, in no detail."""
    async with opened(place) as store, opened(place) as other:
        await fill(store)
        await other.remember("u", "so that the first one has to ask for changes")
        backend = store._facts("u")._backend

        async def fail(*given: Any) -> None:
            raise MemoryStoreBackendError("the server is gone: start it again")

        monkeypatch.setattr(backend, step, fail)
        fact = await store.remember("u", f"tea {TEXTS[0]}", metadata={"n": 1})
        monkeypatch.undo()
        assert (fact.text, fact.metadata, fact.times_seen) == (f"tea {TEXTS[0]}", {"n": 1}, 1)
        assert await store.get_fact("u", fact.id) == fact
        again = await store.remember("u", fact.text)
        assert (again.id, again.times_seen, len(again.near)) == (fact.id, 2, 1)
    (record,) = caplog.records
    assert record.name == "goldfish.facts"
    assert record.getMessage() == "a fact was stored, but not linked: MemoryStoreBackendError"


@pytest.mark.parametrize(("ask", "step"), [(recalled, 0), (found, 0), (found, 1)])
async def test_memory_that_runs_out_half_way_loses_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Any], Any], step: int
) -> None:
    """Wherever it happens, also beside others that are known, the next answer is whole."""
    async with opened(file, search=True) as here, opened(file, search=True) as there:
        await fill(here)
        fail_at(monkeypatch, step)
        with pytest.raises(MemoryError):
            await ask(there)
        monkeypatch.undo()
        assert len(await ask(there)) == len(TEXTS)
        for text in TEXTS:
            await here.remember("u", f"some more {text}")
            await here.add_messages("s", [ChatMessage(role="user", content=f"some more {text}")])
        fail_at(monkeypatch, step)
        with pytest.raises(MemoryError):
            await ask(there)
        monkeypatch.undo()
        async with opened(file, search=True) as fresh:
            assert await ask(there) == await ask(fresh)


def fail_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Let memory run out in the middle of what is taken in."""
    calls, work = iter(range(10**6)), Hashes.extend

    def failing(*given: Any) -> None:
        if next(calls) == step:
            raise MemoryError
        work(*given)

    monkeypatch.setattr(Hashes, "extend", failing)


async def test_who_is_at_work_when_a_change_breaks_off_is_told(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recall that began before does not answer from what is left, which is nothing."""
    slow = Halting(48)
    async with opened(file) as here, opened(file, embedder=slow) as there:
        await fill(here)
        assert len(await recalled(there)) == len(TEXTS)
        slow.go.clear()
        waiting = asyncio.create_task(there.recall("u", "anything at all"))
        await asyncio.to_thread(slow.halted.wait)
        await here.remember("u", "one more")
        fail_at(monkeypatch, 0)
        with pytest.raises(MemoryError):
            await there.recall("u", " ")
        monkeypatch.undo()
        slow.go.set()
        with pytest.raises(MemoryStoreBackendError, match="repeat the call"):
            await waiting
        assert len(await recalled(there)) == len(TEXTS) + 1


async def test_who_is_at_work_when_all_begins_anew_is_not_disturbed(file: Path) -> None:
    """A question that was asked meanwhile is answered by the facts that there are in the end."""
    slow = Halting(48)
    async with opened(file) as here, opened(file, embedder=slow) as there:
        await fill(here)
        await recalled(there)
        slow.go.clear()
        waiting = asyncio.create_task(recalled(there))
        await asyncio.to_thread(slow.halted.wait)
        await here.forget_all("u")
        await fill(here)
        listed = await there.list_facts("u")
        slow.go.set()
        assert sorted(each.fact.id for each in await waiting) == sorted(fact.id for fact in listed)


class Halting(HashEmbedder):
    """Waits before it encodes, until it may go on."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self.go, self.halted = threading.Event(), threading.Event()
        self.go.set()

    def encode(self, texts: Sequence[str]) -> Any:
        if not self.go.is_set():
            self.halted.set()
            self.go.wait(10)
        return super().encode(texts)


@pytest.mark.parametrize("ask", ASKING)
@pytest.mark.parametrize("some", [0, 500])
async def test_a_call_that_is_cancelled_leaves_nothing_half_done(
    place: Backend, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Any], Any], some: int
) -> None:
    """Wherever it was, in the loop or in a thread, the next answer is whole."""
    monkeypatch.setattr(engine, "SOME", some)
    dice = random.Random(some)
    async with opened(place, search=True) as here:
        await fill(here)
        expected = await ask(here)
        for turns in [*range(12), *dice.sample(range(12, 60), 6)]:
            async with opened(place, search=True) as store:
                asking = asyncio.create_task(ask(store))
                for _ in range(turns):
                    await asyncio.sleep(0)
                asking.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await asking
                assert await ask(store) == expected


class Failing(HashEmbedder):
    """Fails once, at the n-th text."""

    def __init__(self, at: int) -> None:
        super().__init__(48)
        self.left = at

    def encode(self, texts: Sequence[str]) -> Any:
        before, self.left = self.left, self.left - len(texts)
        if before >= 0 > self.left:
            raise EmbedderError("the model is out of order: start it again")
        return super().encode(texts)


@pytest.mark.parametrize("at", [0, 3, 70, 149])
async def test_an_embedder_that_fails_leaves_no_half_of_a_session(place: Backend, at: int) -> None:
    """Messages that were written without vectors are all found once it works again."""
    async with opened(place, embedder=None) as plain:
        texts = [ChatMessage(role="user", content=f"tea number {n}") for n in range(150)]
        await plain.add_messages("s", texts)
    async with opened(place, search=True, embedder=Failing(at)) as store:
        with pytest.raises(EmbedderError):
            await found(store)
        answer = await found(store)
    async with opened(place, search=True) as fresh:
        assert await found(fresh) == answer
        assert len(answer) == 50


async def test_an_embedder_that_fails_stores_nothing(place: Backend) -> None:
    """A fact is embedded before it is written, or not written."""
    async with opened(place, embedder=Failing(2)) as store:
        await store.remember("u", "one")
        await store.remember("u", "two")
        with pytest.raises(EmbedderError):
            await store.remember("u", "three")
        assert [fact.text for fact in await store.list_facts("u")] == ["one", "two"]


@pytest.mark.parametrize("ask", ["recall", "get_fact", "search_history"])
async def test_nothing_is_kept_of_who_is_not_there(file: Path, ask: str) -> None:
    """Asking for any number of unknown users or sessions takes no memory."""
    async with opened(file, search=True, embedder=None) as store:
        await fill(store)

        async def asked(number: int) -> None:
            name = f"nobody {number}"
            who: Any = [name] if ask == "search_history" else name
            assert not await getattr(store, ask)(who, "tea")

        for number in range(50):
            await asked(number)
        tracemalloc.start()
        for number in range(50, 550):
            await asked(number)
        grown, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert grown < 250_000  # 500 bytes each: less than any object that knows something
        assert len(await recalled(store)) == len(await store.list_facts("u")) == len(TEXTS)


async def test_long_facts_are_compared_outside_the_loop(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts of some kilobytes are linked as short ones are, and others need not wait for that."""
    threads = set()

    def watched(one: str, other: str) -> bool:
        threads.add(threading.get_ident())
        return are_alike(one, other)

    monkeypatch.setattr(linking, "are_alike", watched)
    async with opened(file) as store:
        one = await store.remember("u", "tea " * 10_000 + "from Rome")
        other = await store.remember("u", "tea " * 10_000 + "out of Rome")
        unlike = await store.remember("u", "tea " * 10_000 + "out of Oslo")
    assert (other.near, unlike.near) == ([one.id], [])
    assert threads
    assert threading.get_ident() not in threads

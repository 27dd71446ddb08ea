"""Times facts, without encoding, of users with few and with many of them, in one run.

python bench/facts.py [--backend sqlite] [--mem0] [--quick] [--json FILE]

What a process does first is timed in new processes, which have imported everything and asked for
another user before. Times are those of the processor, in the process that asks: how busy the
machine is does not count, nor does what a server does. With --mem0 the same few facts are asked of
mem0ai, with Qdrant on disk, in the same run.
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Started as a script, Python looks beside this file instead of above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.backends import BACKENDS
from bench.raw_facts import Select, open_select
from goldfish import GoldfishError, open_store
from goldfish.messages import new_id
from goldfish.stores.base import BaseStore
from goldfish.stores.facts.backend import New
from goldfish.stores.facts.encoding import encode_base, encode_said
from goldfish.stores.facts.identity import identity
from goldfish.stores.facts.marking import make_marks

DIMENSIONS = 384
WARMING = "somebody else"
FILL_STEP = 200
FILTER = {"n": {"$lt": 50}}
# The most milliseconds that a step should take, with few and with many facts.
AIMS: dict[str, tuple[float | None, float | None]] = {
    "first recall": (15, 150),
    "recall": (1.5, 10),
    "recall, filtered": (2.25, 15),
    "remember": (None, 3),
}
WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "blmnrst"]


@dataclass(frozen=True)
class Sizes:
    """How many facts a user has, how many users there are, how often each step is timed."""

    few: int = 2_000
    many: int = 100_000
    users: int = 10_000
    samples: int = 50
    processes: int = 3


@dataclass(frozen=True)
class Timing:
    """The median milliseconds of a step, and the most that it should take."""

    backend: str
    step: str
    facts: int
    milliseconds: float
    most: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether it is quick enough, or None without a limit."""
        return None if self.most is None else self.milliseconds <= self.most


class InstantEmbedder:
    """Random vectors by text, at once: what is timed is the search, not a model."""

    name = "instant"
    dimensions = DIMENSIONS

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One random vector of length one per text."""
        rows = [np.random.default_rng(sum(text.encode())).normal(size=DIMENSIONS) for text in texts]
        vectors: NDArray[np.float32] = np.asarray(rows, np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--backend", action="append", choices=[*BACKENDS, "memory"], help="only this one")
    add("--mem0", action="store_true", help="also time the search of mem0ai (its extra is needed)")
    add("--quick", action="store_true", help="tiny sizes: shows that it runs, judges nothing")
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    options = parser.parse_args(arguments)
    sizes = Sizes(few=20, many=200, users=30, samples=3, processes=1) if options.quick else Sizes()
    timings: list[Timing] = []
    try:
        for name in options.backend or [*BACKENDS]:
            measured = measure(name, sizes)
            print(table(measured), flush=True)
            timings += measured
        if options.mem0:
            timings += (peer := [mem0(sizes)])
            print(table(peer), flush=True)
    except GoldfishError as error:
        sys.exit(str(error))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in timings], indent=1) + "\n")
    if not options.quick and any(each.met is False for each in timings):
        sys.exit(1)


def measure(backend: str, sizes: Sizes) -> list[Timing]:
    """All steps on this backend."""
    if backend == "memory":
        return asyncio.run(_timings(backend, "memory://", sizes))
    with tempfile.TemporaryDirectory() as directory, BACKENDS[backend](Path(directory)) as place:
        return asyncio.run(_timings(backend, place.database(), sizes))


def mem0(sizes: Sizes) -> Timing:
    """The search of mem0ai among as many facts of a user as the few of ours."""
    from goldfish.integrations.mem0 import offline as mem0_offline

    tell(f"mem0: a user with {sizes.few:,} facts")
    with tempfile.TemporaryDirectory() as directory:
        config = {"path": directory, "on_disk": True, "embedding_model_dims": DIMENSIONS}
        store = {"provider": "qdrant", "config": config}
        memory = mem0_offline.open_memory(
            mem0_offline.Memory, Path(directory), store, InstantEmbedder()
        )
        try:
            return Timing("mem0ai", "search", sizes.few, 1000 * _searched(memory, sizes))
        finally:
            mem0_offline.close(memory)


def _searched(memory: Any, sizes: Sizes) -> float:
    from goldfish.integrations.mem0.adapter import scope_arguments

    dice = random.Random("mem0")
    for number in range(sizes.few):
        memory.add(make_text(dice, number), user_id="ann", metadata={"n": number}, infer=False)
    options = scope_arguments(memory.search, "ann", 5, None)
    taken = []
    for question in make_questions(sizes.samples):
        began = process_time()
        memory.search(question, **options)
        taken.append(process_time() - began)
    return median(taken)


async def _timings(backend: str, url: str, sizes: Sizes) -> list[Timing]:
    timings: list[Timing] = []
    async with open_store(url, embedder=InstantEmbedder()) as store:
        await _fill(store, WARMING, 1)
        for nth, facts in enumerate((sizes.few, sizes.many)):
            user = f"user with {facts}"
            tell(f"{backend}: a user with {facts:,} facts")
            await _fill(store, user, facts)
            steps = await _steps(store, user, sizes.samples)
            if backend != "memory":  # which no other process can open
                cold = await asyncio.to_thread(_time_cold, backend, url, facts, sizes)
                timings += cold
                del steps["first recall"]
            for step, seconds in steps.items():
                most = AIMS.get(step, (None, None))[nth]
                timings.append(Timing(backend, step, facts, 1000 * seconds, most))
        tell(f"{backend}: {sizes.users:,} users")
        for start in range(0, sizes.users, FILL_STEP):
            some = range(start, min(start + FILL_STEP, sizes.users))
            await asyncio.gather(*(_fill(store, f"one of many {each}", 1) for each in some))
        crowded = (await _steps(store, f"user with {sizes.few}", sizes.samples))["recall"]
        step = f"recall beside {sizes.users} users"
        timings.append(Timing(backend, step, sizes.few, 1000 * crowded, 3.0))
    return timings


def _time_cold(backend: str, url: str, facts: int, sizes: Sizes) -> list[Timing]:
    """What new processes take for their first answers about a user."""
    context, task = multiprocessing.get_context("spawn"), (backend, url, f"user with {facts}")
    with context.Pool(1, maxtasksperchild=1) as pool:
        found = [pool.apply(_answer_first, task) for _ in range(sizes.processes)]
    first, got, raw, listed = (median(each) for each in zip(*found, strict=True))
    aim = AIMS["first recall"][facts == sizes.many]
    return [
        Timing(backend, "first recall", facts, 1000 * first, aim),
        Timing(backend, "get_fact", facts, 1000 * got, 2 * 1000 * raw),
        Timing(backend, "raw select of the fact", facts, 1000 * raw),
        Timing(backend, "list_facts, limit 5", facts, 1000 * listed),
    ]


def _answer_first(backend: str, url: str, user: str) -> tuple[float, float, float, float]:
    return asyncio.run(_time_first(backend, url, user))


async def _time_first(backend: str, url: str, user: str) -> tuple[float, float, float, float]:
    """Seconds for the first recall, for get_fact and the same by the driver, and for a page."""
    async with (
        open_store(url, embedder=InstantEmbedder()) as store,
        open_select(backend, url) as select,
    ):
        await store.recall(WARMING, "anything")
        ids = [fact.id for fact in await store.list_facts(user, limit=20, offset=10)]
        got, raw = await _take_turns(store, select, user, ids)
        listed = await _timed(lambda: store.list_facts(user, limit=5))
        return await _timed(lambda: store.recall(user, make_questions(1)[0])), got, raw, listed


async def _take_turns(
    store: BaseStore, select: Select, user: str, ids: Sequence[str]
) -> tuple[float, float]:
    """The median seconds of get_fact, which keeps nothing, and of the same select."""
    assert await store.get_fact(WARMING, "x") is None
    await select(WARMING, "x")
    got = [await _timed(lambda each=each: store.get_fact(user, each)) for each in ids]  # type: ignore[misc]
    raw = [await _timed(lambda each=each: select(user, each)) for each in ids]  # type: ignore[misc]
    return median(got), median(raw)


def tell(doing: str) -> None:
    """What is being done now, for those who wait; not part of the figures."""
    print(f"{doing} …", file=sys.stderr, flush=True)


async def _fill(store: BaseStore, user: str, count: int) -> None:
    """Facts straight into the ledger: linking near ones would take longer than all the rest."""
    ledger = store._facts(user)._backend
    new = _new_facts(user, count)
    while some := list(islice(new, FILL_STEP)):
        await asyncio.gather(*(ledger.remember(user, each) for each in some))


def _new_facts(user: str, count: int) -> Iterator[New]:
    dice, now = random.Random(user), datetime.now(UTC)
    vectors = np.random.default_rng(len(user)).normal(size=(count, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for number in range(count):
        text = make_text(dice, number)
        vector = vectors[number].tobytes()
        base, said = encode_base({"n": number}, now), encode_said(text, now)
        marks = make_marks(text, {"n": number}, vector, DIMENSIONS)
        name = InstantEmbedder.name
        yield New(new_id(), identity(text), base, said, None, name, vector, marks, 1)


def make_text(dice: random.Random, number: int) -> str:
    """Ten words, and a number that no other text has."""
    return " ".join(dice.choices(WORDS, k=10)) + f" {number}"


def make_questions(samples: int) -> list[str]:
    """Five words each, the same in every run."""
    return [" ".join(random.Random(n).choices(WORDS, k=5)) for n in range(samples)]


async def _steps(store: BaseStore, user: str, samples: int) -> dict[str, float]:
    questions = make_questions(samples)
    first = await _timed(lambda: store.recall(user, questions[0]))
    return {
        "first recall": first,
        "recall": await _median(lambda q: store.recall(user, q), questions),
        "recall, filtered": await _median(
            lambda q: store.recall(user, q, filter=FILTER), questions[:10]
        ),
        "remember": await _median(lambda q: store.remember(user, q + " new"), questions[:20]),
        "remember, then recall": await _median(
            lambda q: _both(store, user, q), [f"{q} again" for q in questions[:20]]
        ),
    }


async def _both(store: BaseStore, user: str, text: str) -> None:
    await store.remember(user, text)
    assert (await store.recall(user, text))[0].fact.text == text


async def _median(work: Callable[[str], Awaitable[object]], texts: Sequence[str]) -> float:
    return median([await _timed(lambda text=text: work(text)) for text in texts])  # type: ignore[misc]


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    began = process_time()
    await work()
    return process_time() - began


def table(timings: Sequence[Timing], things: str = "facts") -> str:
    """The figures for people."""
    lines = [f"{'backend':10} {'step':28} {things:>8} {'ms':>9}  most"]
    for each in timings:
        most = "" if each.most is None else f"{each.most:g} {'met' if each.met else 'below'}"
        figures = f"{each.facts:>8} {each.milliseconds:>9.2f}  {most}"
        lines.append(f"{each.backend:10} {each.step:28} {figures}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    main()

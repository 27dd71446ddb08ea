"""Times searches of what was said, without encoding, in short and in long sessions, in one run.

python bench/search.py [--backend sqlite] [--quick] [--json FILE]

The first search is that of a new process, which has imported everything and searched another
session before. Times are those of the processor, in the process that searches: how busy the machine
is does not count, nor does what a server does.
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import process_time

# Started as a script, Python looks beside this file instead of above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.backends import BACKENDS
from bench.facts import InstantEmbedder, Timing, make_questions, make_text, table, tell
from goldfish import ChatMessage, GoldfishError, open_store
from goldfish.stores.base import BaseStore

WARMING = "another session"
FILL_STEP = 500
START = datetime(2026, 1, 1, tzinfo=UTC)
# The most milliseconds that the first search should take, by the number of messages.
AIMS = {2_000: 15.0, 100_000: 150.0}


@dataclass(frozen=True)
class Sizes:
    """How long the sessions are, and how often each step is timed."""

    messages: Sequence[int] = (2_000, 20_000, 100_000)
    samples: int = 20
    processes: int = 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--backend", action="append", choices=[*BACKENDS], help="only this one")
    add("--quick", action="store_true", help="tiny sizes: shows that it runs, judges nothing")
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    options = parser.parse_args(arguments)
    sizes = Sizes(messages=(20, 200), samples=2, processes=1) if options.quick else Sizes()
    timings: list[Timing] = []
    try:
        for name in options.backend or [*BACKENDS]:
            timings += (measured := measure(name, sizes))
            print(table(measured, "messages"), flush=True)
    except GoldfishError as error:
        sys.exit(str(error))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in timings], indent=1) + "\n")
    if not options.quick and any(each.met is False for each in timings):
        sys.exit(1)


def measure(backend: str, sizes: Sizes) -> list[Timing]:
    """All steps on this backend."""
    with tempfile.TemporaryDirectory() as directory, BACKENDS[backend](Path(directory)) as place:
        return asyncio.run(_measure(backend, place.database(), sizes))


async def _measure(backend: str, url: str, sizes: Sizes) -> list[Timing]:
    timings: list[Timing] = []
    async with open_store(url, embedder=InstantEmbedder(), search=True) as store:
        await _fill(store, WARMING, 1)
        for many in sizes.messages:
            tell(f"{backend}: a session of {many:,} messages")
            session = f"session of {many}"
            await _fill(store, session, many)
            found = await asyncio.to_thread(_time_cold, url, session, sizes)
            first, later = (1000 * median(each) for each in zip(*found, strict=True))
            timings.append(Timing(backend, "first search", many, first, AIMS.get(many)))
            timings.append(Timing(backend, "search", many, later))
    return timings


async def _fill(store: BaseStore, session: str, count: int) -> None:
    dice = random.Random(session)
    for first in range(0, count, FILL_STEP):
        numbers = range(first, min(first + FILL_STEP, count))
        await store.add_messages(session, [_make_message(dice, number) for number in numbers])


def _make_message(dice: random.Random, number: int) -> ChatMessage:
    """One of a conversation of some twenty messages each day."""
    moment = START + timedelta(days=number // 20, minutes=number % 20)
    text, name = make_text(dice, number), ("Ann", "Bob")[number % 2]
    return ChatMessage(role="user", content=text, name=name, created_at=moment)


def _time_cold(url: str, session: str, sizes: Sizes) -> list[tuple[float, float]]:
    """What new processes take for the first search and for later ones."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1, maxtasksperchild=1) as pool:
        return [
            pool.apply(_search_first, (url, session, sizes.samples)) for _ in range(sizes.processes)
        ]


def _search_first(url: str, session: str, samples: int) -> tuple[float, float]:
    return asyncio.run(_time_searches(url, session, samples))


async def _time_searches(url: str, session: str, samples: int) -> tuple[float, float]:
    async with open_store(url, embedder=InstantEmbedder(), search=True) as store:
        await store.search_history([WARMING], "anything")
        first, *later = [
            await _time(store, session, question) for question in make_questions(samples)
        ]
        return first, median(later)


async def _time(store: BaseStore, session: str, question: str) -> float:
    began = process_time()
    found = await store.search_history([session], question)
    assert found
    return process_time() - began


if __name__ == "__main__":
    main()

"""Whether our stores become slower as they fill.

python bench/growth.py [--messages 10000000] [--facts 1000000] [--seconds 600] [--directory DIR]

One SQLite file is filled to the end, or until the time is over; each time it holds ten times as
much as before, a write to it is timed against one to a file that holds 1,000 messages or facts.
Ctrl-C ends it, too: what was measured by then is printed.
"""

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter

from rich.console import Console

# Started as a script, Python looks beside this file instead of above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.backends import BACKENDS, Backend
from bench.figures import Growth
from bench.report import growth_table
from bench.workloads import FILL_STEP, Sizes, messages
from goldfish import open_store
from goldfish.stores.base import BaseStore
from goldfish.testing import HashEmbedder

SEED = 20
LAST = 20
FACTS_OF_A_USER = 100
TOLD_USERS = 10
Report = Callable[[str], None]


async def append_growth(backend: Backend, sizes: Sizes, report: Report) -> Growth:
    """The cost of one turn in a full store, relative to that in a nearly empty one."""
    steps = append_growths(backend, sizes, report, [sizes.many])
    return [growth async for growth in steps][-1]


async def append_growths(
    backend: Backend, sizes: Sizes, report: Report, totals: Sequence[int]
) -> AsyncIterator[Growth]:
    """The same for a store that is filled step by step, up to each of these totals."""
    async with open_store(backend.database()) as small, open_store(backend.database()) as large:
        few = await _fill_sessions(small, sizes.few, report)
        many: list[str] = []
        choice = random.Random(SEED).choice

        async def one_turn(store: BaseStore, sessions: list[str]) -> float:
            turn, session = messages(2), choice(sessions)
            return await _seconds(store.add_messages(session, turn))

        for total in totals:
            many[:] = await _fill_sessions(large, total, report, many)
            small_cost, large_cost = await _alternate(
                lambda: one_turn(small, few), lambda: one_turn(large, many), sizes.samples
            )
            yield Growth(backend.name, "append", sizes.few, total, small_cost, large_cost)


async def remember_growths(
    backend: Backend, sizes: Sizes, report: Report, totals: Sequence[int]
) -> AsyncIterator[Growth]:
    """The cost of one new fact in a store of many users, relative to that in one of a few."""
    small = open_store(backend.database(), embedder=HashEmbedder())
    large = open_store(backend.database(), embedder=HashEmbedder())
    async with small, large:
        await _fill_users(small, 0, sizes.few, report)
        numbers = count()

        async def one_fact(store: BaseStore) -> float:
            # A user of whom this process knows nothing yet would cost a reading of all that user's
            # facts, in both stores alike: each has a few users who are told all the new facts.
            number = next(numbers)
            user = f"user {number % TOLD_USERS}"
            return await _seconds(store.remember(user, f"a new fact {number}"))

        for stored, total in pairwise([0, *totals]):
            await _fill_users(large, stored, total, report)
            small_cost, large_cost = await _alternate(
                lambda: one_fact(small), lambda: one_fact(large), sizes.samples
            )
            yield Growth(backend.name, "remember", sizes.few, total, small_cost, large_cost)


async def _fill_users(store: BaseStore, begin: int, end: int, report: Report) -> None:
    """Store facts from one number to another, a hundred for each user."""
    for number in range(begin, end):
        user = number // FACTS_OF_A_USER
        await store.remember(f"user {user}", f"fact {number} of user {user}")
        if (number + 1) % 10_000 == 0 or number + 1 == end:
            report(f"{number + 1:,} of {end:,} facts stored")


async def last_messages_growth(backend: Backend, sizes: Sizes, report: Report) -> Growth:
    """The cost of reading the last messages of a long session, relative to a short one."""
    async with open_store(backend.database()) as store:
        for length in (sizes.short, sizes.long):
            await _fill_session(store, str(length), length)
        report(f"{sizes.short:,} and {sizes.long:,} messages stored")
        short_cost, long_cost = await _alternate(
            lambda: _seconds(store.get_history(str(sizes.short), last=LAST)),
            lambda: _seconds(store.get_history(str(sizes.long), last=LAST)),
            sizes.samples,
        )
    return Growth(backend.name, f"last {LAST}", sizes.short, sizes.long, short_cost, long_cost)


async def _fill_sessions(
    store: BaseStore, total: int, report: Report, filled: Sequence[str] = ()
) -> list[str]:
    """Spread that many messages over sessions of up to a thousand, at least ten of them."""
    each = min(FILL_STEP, total // 10)
    sessions = [f"session {n}" for n in range(total // each)]
    for done, session in enumerate(sessions, 1):
        if done > len(filled):
            await store.add_messages(session, messages(each))
            if done % 100 == 0 or done == len(sessions):
                report(f"{done * each:,} of {total:,} messages stored")
    return sessions


async def _fill_session(store: BaseStore, session: str, length: int) -> None:
    for start in range(0, length, FILL_STEP):
        await store.add_messages(session, messages(min(FILL_STEP, length - start)))


async def _alternate(
    one: Callable[[], Awaitable[float]], other: Callable[[], Awaitable[float]], samples: int
) -> tuple[float, float]:
    """The median seconds of each, measured in alternation, each as often first as second."""
    times: list[tuple[float, float]] = []
    for _ in range(samples // 2):
        times.append((await one(), await other()))
        later, earlier = await other(), await one()
        times.append((earlier, later))
    return median(first for first, _ in times), median(second for _, second in times)


async def _seconds(work: Awaitable[object]) -> float:
    began = perf_counter()
    await work
    return perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill a file as the command line asks, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--messages", type=int, default=10_000_000, help="0: none")
    parser.add_argument("--facts", type=int, default=1_000_000, help="0: none")
    parser.add_argument("--seconds", type=float, help="end each part after so long")
    parser.add_argument("--directory", default=".", help="the disk for the files (default: here)")
    options = parser.parse_args(arguments)
    found: list[Growth] = []
    with (
        tempfile.TemporaryDirectory(prefix="goldfish-bench-", dir=options.directory) as directory,
        BACKENDS["sqlite"](Path(directory).absolute()) as backend,
        contextlib.suppress(KeyboardInterrupt),
    ):
        for measure, most in (
            (append_growths, options.messages),
            (remember_growths, options.facts),
        ):
            steps = measure(backend, Sizes(), _report, list(_decades(most)))
            with contextlib.suppress(TimeoutError):
                asyncio.run(_gather(steps, found, options.seconds))
    Console(width=80).print(growth_table(found))


async def _gather(steps: AsyncIterator[Growth], found: list[Growth], seconds: float | None) -> None:
    """Keep each figure as soon as it is known, until the time is over."""
    async with asyncio.timeout(seconds):
        async for growth in steps:
            found.append(growth)
            _report(f"{growth.step} at {growth.large:,}: {growth.value:.2f} x")


def _decades(most: int) -> Iterator[int]:
    """Yield 10,000, 100,000 and so on, and the end."""
    size = 10_000
    while size < most:
        yield size
        size *= 10
    if most:
        yield most


def _report(step: str) -> None:
    print(f"{monotonic():9.0f} s  {step}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

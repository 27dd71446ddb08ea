"""Whether our stores become slower as they fill."""

import random
from collections.abc import Awaitable, Callable
from statistics import median
from time import perf_counter

from bench.backends import Backend
from bench.figures import Growth
from bench.workloads import FILL_STEP, Sizes, messages
from goldfish import open_store
from goldfish.stores.base import BaseStore

SEED = 20
LAST = 20
Report = Callable[[str], None]


async def append_growth(backend: Backend, sizes: Sizes, report: Report) -> Growth:
    """The cost of one turn in a full store, relative to that in a nearly empty one."""
    async with open_store(backend.database()) as small, open_store(backend.database()) as large:
        few = await _fill_sessions(small, sizes.few, report)
        many = await _fill_sessions(large, sizes.many, report)
        choice = random.Random(SEED).choice

        async def one_turn(store: BaseStore, sessions: list[str]) -> float:
            turn, session = messages(2), choice(sessions)
            return await _seconds(store.add_messages(session, turn))

        small_cost, large_cost = await _alternate(
            lambda: one_turn(small, few), lambda: one_turn(large, many), sizes.samples
        )
    return Growth(backend.name, "append", sizes.few, sizes.many, small_cost, large_cost)


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


async def _fill_sessions(store: BaseStore, total: int, report: Report) -> list[str]:
    """Spread that many messages over sessions of up to a thousand, at least ten of them."""
    each = min(FILL_STEP, total // 10)
    sessions = [f"session {n}" for n in range(total // each)]
    for done, session in enumerate(sessions, 1):
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

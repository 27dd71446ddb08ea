"""Sizes that a run draws by its seed, so that no threshold of a store stays unasked for ever."""

import math
import time

from goldfish.harness.memory import Memory
from goldfish.harness.patience import measure_share

BUDGET = 1.5  # seconds that single calls may take in all
TASTE = 5  # facts by which the pace of a store is known


def draw_size(memory: Memory, least: int, most: int) -> int:
    """Return a number between the two; each order of magnitude is as likely as another."""
    drawn = math.exp(memory.random.uniform(math.log(least), math.log(most + 1)))
    return max(least, min(most, int(drawn)))


def draw_calls(memory: Memory, least: int, most: int, *, pace: float) -> int:
    """Return how many calls to make: drawn, or as many as fit a while at so many seconds each."""
    return max(least, min(draw_size(memory, least, most), _count_calls(BUDGET, pace)))


async def choose_count(
    memory: Memory, *, least: int, wanted: tuple[int, int] = (520, 1_100), budget: float = BUDGET
) -> int:
    """Return how many facts to tell: as many as wanted, or as a slow store takes in so long."""
    user, began = memory.session("pace"), time.perf_counter()
    for number in range(TASTE):
        await memory.client.call("remember", user, f"Step {number}")
    pace = (time.perf_counter() - began) / TASTE
    return max(least, min(draw_size(memory, *wanted), _count_calls(budget, pace)))


def _count_calls(budget: float, pace: float) -> int:
    """Return how many calls fit the budget on a machine with time: a busy one asks as much."""
    return int(budget / max(pace * measure_share(), 1e-6))

"""Sizes that a run draws by its seed, so that no threshold of a store stays unasked for ever."""

import math

from goldfish.harness.memory import Memory

BUDGET = 2.5  # seconds that single calls may take in all


def draw_size(memory: Memory, least: int, most: int) -> int:
    """Return a number between the two; each order of magnitude is as likely as another."""
    drawn = math.exp(memory.random.uniform(math.log(least), math.log(most + 1)))
    return max(least, min(most, int(drawn)))


def draw_calls(memory: Memory, least: int, most: int, *, pace: float) -> int:
    """Return how many calls to make: drawn, or as many as fit a while at so many seconds each."""
    return max(least, min(draw_size(memory, least, most), int(BUDGET / max(pace, 1e-6))))

"""Makes a sequence that shows something as short as it can be, by leaving out parts of it."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
Shown = TypeVar("Shown")


async def reduce_sequence(
    items: Sequence[T],
    shown: Shown,
    show: Callable[[list[T]], Awaitable[Shown | None]],
    *,
    seconds: float,
) -> tuple[list[T], Shown]:
    """Return the shortest sequence that was found in this time, and what it shows.

    ``show`` returns what a sequence shows, or None; ``shown`` is what the whole shows. Parts are
    left out from the end, half of it first, then ever smaller ones, until none can be spared.
    """
    give_up, kept = time.monotonic() + seconds, list(items)
    size = max(1, len(kept) // 2)
    while size:
        spared, end = False, len(kept)
        while end > 0:
            if time.monotonic() > give_up:
                return kept, shown
            start = max(0, end - size)
            shorter = kept[:start] + kept[end:]
            again = await show(shorter) if shorter else None
            if again is not None:
                kept, shown, spared = shorter, again, True
            end = start
        if not spared or size > 1:
            size //= 2
    return kept, shown

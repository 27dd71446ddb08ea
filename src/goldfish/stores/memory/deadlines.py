"""Deadlines of what is kept in a dict: expired keys are found without a look at all others."""

import heapq
import math
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

STEP_SECONDS = 0.002  # for which a call may be busy with what others have left to expire


class Deadlines(Generic[Key]):
    """Moments by key, soonest first.

    A deadline that is put off costs nothing: the key comes up at its first moment, and whoever
    asks notes it again. A key that has gone comes up once, too, or is dropped with many others.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Key]] = []
        self._soonest: dict[Key, float] = {}  # of each key, as far as it is in the heap
        self._count = 0  # so that keys are never compared

    def note(self, key: Key, moment: float) -> None:
        """Let the key come up at this moment, unless it does so before."""
        soonest = self._soonest.get(key)
        if soonest is None or moment < soonest:
            self._count += 1
            self._soonest[key] = moment
            heapq.heappush(self._heap, (moment, self._count, key))

    @property
    def next(self) -> float | None:
        """The first moment at which a key may come up."""
        return self._heap[0][0] if self._heap else None

    def drop(self, key: Key) -> None:
        """Forget the key; the heap is made anew when most of it is forgotten."""
        self._soonest.pop(key, None)
        if len(self._heap) > 2 * len(self._soonest) + 64:
            self._heap = [each for each in self._heap if self._soonest.get(each[2]) == each[0]]
            heapq.heapify(self._heap)

    def sweep(
        self, now: float, expire: Callable[[Key], float | None], seconds: float = math.inf
    ) -> None:
        """Call ``expire`` with each key whose moment has come, for so many seconds at most.

        It drops what is over, and returns when the key is to come up again, if it is not.
        """
        while self._heap and self._heap[0][0] <= now:
            moment, _, key = heapq.heappop(self._heap)
            if self._soonest.get(key) == moment:
                del self._soonest[key]
                again = expire(key)
                if again is not None:
                    self.note(key, again)
                if time.monotonic() > now + seconds:
                    return

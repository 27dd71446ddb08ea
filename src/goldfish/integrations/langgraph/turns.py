"""Takes turns on threads that others write to at the same time."""

import asyncio
import random
import threading
import time
import weakref
from collections.abc import Awaitable, Callable
from typing import TypeVar

from goldfish.integrations.langgraph.threads import TurnOvertakenError

T = TypeVar("T")
LONGEST_PAUSE = 0.02  # seconds; the pauses are random, so that callers do not collide again


class Turns:
    """Takes turns on a thread one after the other, and retries a turn that was overtaken.

    ``take`` and ``atake`` get a function that takes the turn and may be called several times: its
    messages should have ids, and it should write when it ends (``durability="exit"``), or each of
    two turns may stop the other half-way. Callers of one process queue, those of several compete;
    each time, one of them succeeds.
    """

    def __init__(self, *, most: int = 1000) -> None:
        self._most = most
        self._queues: weakref.WeakValueDictionary[str, threading.Lock]
        self._queues = weakref.WeakValueDictionary()
        self._async_queues: weakref.WeakValueDictionary[tuple[int, str], asyncio.Lock]
        self._async_queues = weakref.WeakValueDictionary()
        self._guard = threading.Lock()

    def take(self, thread_id: str, turn: Callable[[], T]) -> T:
        """Take the turn until it succeeds, and return its result."""
        with self._guard:
            queue = self._queues.setdefault(thread_id, threading.Lock())
        with queue:
            for _ in range(self._most - 1):
                try:
                    return turn()
                except TurnOvertakenError:
                    time.sleep(_pause())
            return turn()

    async def atake(self, thread_id: str, turn: Callable[[], Awaitable[T]]) -> T:
        """Take the turn until it succeeds, and return its result."""
        place = id(asyncio.get_running_loop()), thread_id
        with self._guard:
            queue = self._async_queues.setdefault(place, asyncio.Lock())
        async with queue:
            for _ in range(self._most - 1):
                try:
                    return await turn()
                except TurnOvertakenError:
                    await asyncio.sleep(_pause())
            return await turn()


def _pause() -> float:
    return random.uniform(0, LONGEST_PAUSE)

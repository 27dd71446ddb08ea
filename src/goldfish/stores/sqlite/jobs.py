"""Jobs for a SQLite file, and how their results reach the callers.

A caller waits for each job until its deadline. Whoever takes the job first decides: a thread does
it, or the caller's event loop gives it up; so a call that failed because its turn did not come is
never done later.
"""

import asyncio
import contextlib
import logging
import math
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

Work = Callable[[sqlite3.Connection], Any]

LOGGER = logging.getLogger("goldfish.stores.sqlite")
SLOW_SECONDS = 1.0  # a call that took longer is worth a line in the log


class Job:
    """One piece of work, and the future that waits for it in some event loop."""

    __slots__ = ("_taken", "deadline", "future", "loop", "queued_at", "timer", "work")

    def __init__(self, work: Work, loop: asyncio.AbstractEventLoop) -> None:
        self.work = work
        self.loop = loop
        self.future: asyncio.Future[Any] = loop.create_future()
        self.queued_at = math.inf  # until it is
        self.deadline = math.inf
        self.timer: asyncio.TimerHandle | None = None  # the last of those that queue together
        self._taken = threading.Lock()

    def take(self) -> bool:
        """Take the job, unless another has it or its caller is gone; return whether it is ours."""
        return not self.future.done() and self._taken.acquire(blocking=False)


Outcome = tuple[Job, Any, Exception | None]


def deliver(done: Sequence[Outcome]) -> None:
    """Wake the waiting callers, each in its own event loop, each loop once."""
    if done:
        log_slow(done[0][0].queued_at, len(done))  # the oldest is the first
    by_loop: dict[asyncio.AbstractEventLoop, list[Outcome]] = defaultdict(list)
    for outcome in done:
        by_loop[outcome[0].loop].append(outcome)
    for loop, outcomes in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, outcomes)


def _settle(outcomes: Sequence[Outcome]) -> None:
    for job, result, error in outcomes:
        if job.timer is not None:
            job.timer.cancel()  # those before it have been served as well
        if job.future.done():
            continue
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)


def log_slow(since: float, count: int = 1) -> None:
    """Write to the log if these calls began long ago."""
    seconds = time.monotonic() - since
    if seconds > SLOW_SECONDS:
        LOGGER.info(
            "%d call(s) took up to %.1f s, with the time in which they waited", count, seconds
        )

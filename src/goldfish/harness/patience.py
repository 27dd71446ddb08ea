"""Waiting that measures the store, not the machine: only what the machine granted counts."""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Awaitable
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from goldfish.findings.result import Violation

T = TypeVar("T")
BEAT = 0.05  # seconds between two looks at the machine
LEAST_SHARE = 1 / 6  # as with a load of 12 on two processors: every wait comes to an end
LATE = 0.5  # of the time was granted: with less, the machine is late
SHORTEST_TIME_OUT = 0.05  # seconds; whoever gives up sooner does so on any machine with work to do
LONGEST_IMPORT = 300.0  # seconds that imports may take without counting

# Whether this check was late on a late machine before: then what was granted decides.
is_second_try: ContextVar[bool] = ContextVar("is_second_try", default=False)


class LateError(Exception):
    """A call took too long on a machine that was too busy: that is unknown, and nobody's fault.

    ``text`` is the violation that it would be on a machine with time.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text.partition(": ")[2])
        self.text = text


class OverdueError(TimeoutError):
    """So many seconds were granted, and it is not over; ``is_late`` says that the machine is."""

    def __init__(self, patience: "Patience") -> None:
        super().__init__(f"not over after {patience.granted:.1f} s")
        self.is_late = patience.is_late

    def blame(self, text: str) -> Exception:
        """Return the violation that the text says, unless the machine is to blame."""
        return make_blame(text, is_late=self.is_late)


def make_blame(text: str, *, is_late: bool) -> Exception:
    """Return the violation that the text says, unless the machine is to blame."""
    if is_late and not is_second_try.get():
        return LateError(text)
    return Violation(text)


class Patience:
    """A number of seconds, used up by the time that the machine grants to this process.

    What does not count: the time in which others had the processors, in which the process was not
    let run at all, and in which modules were imported.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.granted = self.wall = self._importing = 0.0
        self._seen = time.monotonic(), time.process_time(), len(sys.modules)

    @property
    def is_over(self) -> bool:
        """Whether all of it is used up."""
        return self.granted >= self.seconds

    @property
    def is_late(self) -> bool:
        """Whether the machine granted too little of the time to tell slow from stuck."""
        waited = self.wall - self._importing
        return waited > BEAT and self.granted < LATE * waited

    def beat(self) -> None:
        """Count the time since the last beat, as far as it was granted."""
        before, self._seen = self._seen, (time.monotonic(), time.process_time(), len(sys.modules))
        passed, used, imported = (now - then for now, then in zip(self._seen, before, strict=True))
        self.wall += passed
        if imported > 0 and self._importing < LONGEST_IMPORT:
            self._importing += passed
            return
        fair = min(passed, BEAT) * measure_share()
        self.granted += min(passed, max(used, fair))

    async def spend_on(self, work: Awaitable[T]) -> T:
        """Return what the work returns, and count the time that it takes."""
        future = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({future}, timeout=BEAT))[0]:
                self.beat()
        except BaseException:
            future.cancel()
            raise
        self.beat()
        return future.result()


async def wait_patiently(work: Awaitable[T], seconds: float) -> T:
    """Return what the work returns; an OverdueError once so many seconds were granted to it."""
    future = asyncio.ensure_future(work)
    patience = Patience(seconds)
    try:
        while not patience.is_over:
            done, _ = await asyncio.wait({future}, timeout=min(BEAT, seconds - patience.granted))
            if done:
                return future.result()
            patience.beat()
    except BaseException:
        future.cancel()
        raise
    future.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.wait({future}, timeout=BEAT)  # it may have ended at this very moment
    if future.done() and not future.cancelled() and future.exception() is None:
        return future.result()
    raise OverdueError(patience)


_last_look = (0.0, 1.0)


def measure_share() -> float:
    """Return which part of a processor one of all that want to run gets now, at most 1."""
    global _last_look
    now = time.monotonic()
    if now - _last_look[0] > BEAT / 2:  # many may wait at once
        _last_look = now, _look_at_machine()
    return _last_look[1]


def is_machine_late() -> bool:
    """Return True if whoever wants a processor now gets less than half of one."""
    return measure_share() < LATE


def was_machine_late() -> bool:
    """Return True if, in the last minute, so many wanted a processor that each got half of one."""
    with contextlib.suppress(OSError, AttributeError):  # not every system tells
        return os.getloadavg()[0] * LATE > _count_processors()
    return False


def _look_at_machine() -> float:
    wanting = _count_runnable()
    processors = _count_processors()
    if wanting <= processors:
        return 1.0
    weight = 1.25 ** -os.nice(0)  # what a process of this niceness gets beside an ordinary one
    return max(LEAST_SHARE, min(1.0, processors * weight / wanting))


def _count_runnable() -> float:
    """Return how many threads of the machine want a processor now."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return float(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[0])
    with contextlib.suppress(OSError, AttributeError):  # not every system tells
        return os.getloadavg()[0]
    return 0.0


def _count_processors() -> int:
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

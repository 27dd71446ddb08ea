"""The lanes on which work reaches SQLite, each with a connection of its own.

Syncing a commit to the disk costs far more than the statements in it, so one thread writes: it
takes whatever has queued up and commits it together. Up to four threads read. But a hop to a
thread and back can cost as much as a commit on a fast disk, so a lone small piece of work is done
at once, in the caller's thread, as long as nothing is in its way: that lane never waits for a lock
and leaves everything unusual (other writers, long reads, errors, a slow disk) to the threads.

A call waits for its turn and for other processes no longer than its timeout, in all. What has
begun by then is done: so a call that failed has changed nothing and never will, unless the disk
itself failed.
"""

import asyncio
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeVar, cast

from goldfish.errors import MemoryStoreError
from goldfish.stores.sqlite import forks
from goldfish.stores.sqlite.errors import closed_error, explain, overdue_error
from goldfish.stores.sqlite.file import SQLiteFile
from goldfish.stores.sqlite.jobs import LOGGER, Job
from goldfish.stores.sqlite.quick import QuickLane, Read
from goldfish.stores.sqlite.threads import (
    Housekeeping,
    Lane,
    Queue,
    Reader,
    Tidying,
    Writer,
    refuse_the_rest,
)

T = TypeVar("T")

MOST_READERS = 4
TIDY_EVERY = 1.0  # seconds, of a store that is in use
LEAST_TURN = 0.05  # seconds in which a thread takes up a job even if the timeout is 0


class SQLiteLanes:
    """All lanes to one file; threads are started when they are first needed."""

    def __init__(self, file: SQLiteFile, housekeeping: Housekeeping) -> None:
        self.file = file
        self._housekeeping = housekeeping
        self._stopped = False
        self._pid: int | None = None  # of the process that uses it
        self._begin()
        forks.watch(self)

    def _begin(self) -> None:
        """Have no threads and no connections."""
        self._quick = QuickLane(self.file)
        self._writes: Queue = queue.SimpleQueue()
        self._reads: Queue = queue.SimpleQueue()
        self._writers: list[Writer] = []  # one, once it is needed
        self._readers: list[Reader] = []
        self._start_lock = threading.Lock()
        self._held: list[threading.Lock] = []  # while the process forks
        self._fresh: dict[asyncio.AbstractEventLoop, list[Job]] = {}
        self._tidy_at = 0.0

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work inside a transaction that is on the disk when this returns."""
        self._admit()
        loop = asyncio.get_running_loop()
        job = Job(work, loop)
        company = self._fresh.get(loop)
        if company is None:
            self._fresh[loop] = [job]
            loop.call_soon(self._dispatch, loop)  # after the tasks that are about to write too
        else:
            company.append(job)
        return cast(T, await job.future)

    async def erase(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Write what removes data on purpose, and soon remove its traces from the log, too."""
        try:
            return await self.write(work)
        finally:
            self.erase_soon()

    def erase_soon(self) -> None:
        """Let the traces of what was removed on purpose be removed from the log."""
        self._housekeeping.erase_soon()

    async def read(self, work: Read[T]) -> T:
        """Do the work on a connection that only reads."""
        self._admit()
        done, result = self._quick.try_read(work)
        if done:
            return cast(T, result)
        if len(self._readers) < MOST_READERS and (not self._readers or not self._reads.empty()):
            with self._start_lock:
                self._readers.append(Reader(self.file, self._reads, self._quick))
                self._readers[-1].thread.start()
        job = Job(partial(work, most=None), asyncio.get_running_loop())
        self._watch([job], self._readers)
        self._reads.put([job])
        return cast(T, await job.future)

    def try_write(self, work: Callable[[sqlite3.Connection], T]) -> tuple[bool, T | None]:
        """Return whether the work was committed in the caller's thread, and its result."""
        self._admit()
        if not self._writes.empty() or any(each.has_jobs for each in self._writers):
            return False, None  # they share a commit
        return self._quick.try_write(work, is_patient=True)

    def try_read(self, work: Read[T]) -> tuple[bool, T | None]:
        """Return whether the read could be done in the caller's thread, and what it found."""
        self._admit()
        return self._quick.try_read(work, is_patient=True)

    def stop(self) -> None:
        """Tell the threads to end once they have done what is queued."""
        self._stopped = True
        for loop in list(self._fresh):
            self._enqueue(self._fresh.pop(loop, []))
        self._writes.put(None)
        self._reads.put(None)

    def join(self) -> None:
        """Wait until all connections are closed."""
        for lane in (*self._writers, *self._readers):
            lane.thread.join()
        self._quick.close()
        refuse_the_rest(self._writes, closed_error)
        refuse_the_rest(self._reads, closed_error)

    def hold(self, until: float) -> None:
        """Close all connections and let nobody open one, before the process forks.

        A lane that is still at work at that moment is left as it is: the child can tell by that.
        """
        if self._pid is None or not self._start_lock.acquire(timeout=_seconds_until(until)):
            return
        self._held.append(self._start_lock)
        for lane in self._connections():
            if lane.gate.acquire(timeout=_seconds_until(until)):
                self._held.append(lane.gate)
                lane.disconnect()

    def go_on(self) -> None:
        """Let the lanes open their connections again, after the process has forked."""
        held, self._held = self._held, []
        for gate in reversed(held):
            gate.release()

    def begin_anew(self) -> None:
        """Be as good as new in a child, where the threads of its parent are not."""
        if self._pid is not None and not self.crossed:
            self._pid = os.getpid()
            self._begin()

    @property
    def crossed(self) -> bool:
        """Whether this process is a child that got connections of its parent."""
        if self._pid is None or self._pid == os.getpid():
            return False
        return any(lane.connection is not None for lane in self._connections())

    def _connections(self) -> list[QuickLane | Lane]:
        return [self._quick, *self._writers, *self._readers]

    def _admit(self) -> None:
        """Raise if the lanes cannot be used; tidy up if it is time."""
        if self._stopped:
            raise closed_error()
        if self._pid != os.getpid():
            self._settle_in()
        if time.monotonic() >= self._tidy_at:
            self._tidy_at = time.monotonic() + TIDY_EVERY
            self._enqueue(Tidying.DUE)

    def _settle_in(self) -> None:
        """Make sure that this process may use the file, when it does so for the first time."""
        if self._pid is not None or forks.is_crossed(self.file):
            raise MemoryStoreError(
                f"{self.file.path} was in use while the process forked, so this child must not "
                "touch it: fork while no call is under way, or start the process anew (spawn)"
            )
        self._pid = os.getpid()

    def _dispatch(self, loop: asyncio.AbstractEventLoop) -> None:
        jobs = [job for job in self._fresh.pop(loop, []) if not job.future.cancelled()]
        if len(jobs) == 1 and self._writes.empty():
            done, result = self._quick.try_write(jobs[0].work)
            if done:
                jobs[0].future.set_result(result)
                return
        self._watch(jobs, self._writers)
        self._enqueue(jobs)

    def _enqueue(self, jobs: Sequence[Job] | Literal[Tidying.DUE]) -> None:
        """Give the jobs to the writer, all at once: it wakes up once, and finds them together."""
        if not jobs:
            return
        with self._start_lock:
            if not self._writers:
                writer = Writer(self.file, self._writes, self._quick, self._housekeeping)
                self._writers.append(writer)
                writer.thread.start()
        self._writes.put(jobs)

    def _watch(self, jobs: Sequence[Job], lanes: Sequence[Lane]) -> None:
        """Give up these jobs of one event loop if their turn does not come in time."""
        now = time.monotonic()
        for job in jobs:
            job.queued_at = now
            job.deadline = now + self.file.timeout
        if jobs:
            seconds = max(self.file.timeout, LEAST_TURN)
            timer = jobs[-1].loop.call_later(seconds, self._give_up, jobs, lanes)
            jobs[-1].timer = timer

    def _give_up(self, jobs: Sequence[Job], lanes: Sequence[Lane]) -> None:
        late = [job for job in jobs if job.take()]
        if not late:
            return
        path, timeout = self.file.path, self.file.timeout
        LOGGER.warning(
            "%s: gave up %d call(s) whose turn did not come in %g s", path, len(late), timeout
        )
        locked = next((lane.locked for lane in lanes if lane.locked), None)
        for job in late:
            error = explain(locked, self.file) if locked else overdue_error(self.file)
            job.future.set_exception(error)


def _seconds_until(until: float) -> float:
    return max(0.0, until - time.monotonic())

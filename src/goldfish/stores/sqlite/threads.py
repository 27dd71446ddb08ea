"""The threads that work on a SQLite file: one writes, a few read, each by its own connection.

None of them waits inside SQLite. A file that another process holds is tried again and again, for
as long as somebody waits for the outcome; so a call is late by no more than one pause, and what
its caller has given up is not done when the file is free again.
"""

import contextlib
import enum
import queue
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, Protocol

from goldfish.errors import MemoryStoreError
from goldfish.stores.sqlite.errors import explain, is_busy
from goldfish.stores.sqlite.file import SQLiteFile
from goldfish.stores.sqlite.jobs import LOGGER, Job, deliver
from goldfish.stores.sqlite.quick import QUICK_SECONDS, QUICK_STREAK, QuickLane, close_quietly
from goldfish.stores.sqlite.transactions import in_transaction

MOST_SHARING = 256  # writes in one commit, or as many as came together
LONG_WAIT = 0.5  # seconds for which another process holds the file before the log says so
BREATH_SECONDS = 0.003  # between two steps of tidying up, in which other processes may write
CLOSING_SECONDS = 0.25  # for what has expired, when the store is closed


class Housekeeping(Protocol):
    """What the writer does for itself, when there is time."""

    def step(self, connection: sqlite3.Connection) -> bool:
        """Do a few milliseconds of work; return whether there is more."""

    def erase_soon(self) -> None:
        """Note that something was removed on purpose, of which the log has traces."""


class Tidying(enum.Enum):
    """The entry in the writer's queue that tells it to tidy up."""

    DUE = enum.auto()


Entry = Sequence[Job] | Literal[Tidying.DUE]
Queue = queue.SimpleQueue[Entry | None]  # None ends the threads


class Lane(ABC):
    """A thread's own connection, opened when needed and again after it failed."""

    def __init__(self, file: SQLiteFile, jobs: Queue, quick: QuickLane) -> None:
        self._file = file
        self._jobs = jobs
        self._quick = quick
        self.gate = threading.Lock()  # held by whoever uses the connection
        self.connection: sqlite3.Connection | None = None
        self.locked: Exception | None = None  # why it waits for another process, while it does
        self.thread = threading.Thread(target=self._run, name="goldfish-sqlite", daemon=True)

    def disconnect(self) -> None:
        """Close the connection: for whoever holds the gate."""
        connection, self.connection = self.connection, None
        close_quietly(connection)

    def _run(self) -> None:
        """Serve until None comes; leave it for the other threads on the same queue."""
        while (entry := self._jobs.get()) is not None:
            self._serve(entry)
        self._finish()
        self._jobs.put(None)
        with self.gate:
            self.disconnect()

    @abstractmethod
    def _serve(self, entry: Entry) -> None: ...

    @abstractmethod
    def _finish(self) -> None:
        """Do what is left to do before the connection is closed."""

    def _connect(self) -> sqlite3.Connection:
        if self.connection is None:
            self.connection = self._file.connect()
        self._file.check_in_place()
        return self.connection

    def _fail(self, jobs: Sequence[Job], error: Exception) -> None:
        """Let the callers see the error; the next job gets a new connection."""
        with self.gate:
            self.disconnect()
        known = isinstance(error, sqlite3.Error | OSError)
        failure = explain(error, self._file) if known else error
        deliver([(job, None, failure) for job in jobs])

    def _wait(self, jobs: Sequence[Job], error: Exception, pause: float) -> list[Job]:
        """Pause because others hold the file; return the jobs whose callers go on waiting."""
        self.locked = error
        late = [job for job in jobs if time.monotonic() >= job.deadline]
        if late:
            LOGGER.warning(
                "%s is held by another process: gave up %d call(s) after %g s",
                self._file.path,
                len(late),
                self._file.timeout,
            )
            self._fail(late, error)
        left = [job for job in jobs if job not in late]
        if left:
            soonest = min(job.deadline for job in left)
            time.sleep(max(0.0, min(pause, soonest - time.monotonic())))
        return left

    def _pauses(self) -> Iterator[float]:
        """Yield how long to wait before each further attempt, in seconds."""
        began = time.monotonic()
        is_logged = False
        pause = 0.0005
        while True:
            pause = min(2 * pause, 0.02)
            if not is_logged and time.monotonic() - began > LONG_WAIT:
                is_logged = True
                LOGGER.info("waiting for another process that holds %s", self._file.path)
            yield pause


class Reader(Lane):
    """One of the threads that read."""

    def _serve(self, entry: Entry) -> None:
        for job in _take_jobs(entry):
            self._read(job)

    def _read(self, job: Job) -> None:
        pauses = self._pauses()
        while not job.future.cancelled():
            try:
                with self.gate:
                    result = job.work(self._connect())
            except Exception as error:
                if not is_busy(error):
                    self._fail([job], error)
                    return
                if not self._wait([job], error, next(pauses)):
                    return
            else:
                self.locked = None
                deliver([(job, result, None)])
                self._quick.open()
                return

    def _finish(self) -> None:
        """Do nothing: a reader leaves nothing behind."""


class Writer(Lane):
    """The thread that writes, and that tidies up when it is told to."""

    def __init__(
        self, file: SQLiteFile, jobs: Queue, quick: QuickLane, housekeeping: Housekeeping
    ) -> None:
        super().__init__(file, jobs, quick)
        self._housekeeping = housekeeping
        self.has_jobs = False  # which came before those of callers that do their work themselves
        self._untidy = False  # there may be work that was not done yet
        self._failing = False

    def _serve(self, entry: Entry) -> None:
        jobs: list[Job] = []
        following: Entry | None = entry
        while following is not None:
            self._untidy = self._untidy or following is Tidying.DUE
            jobs += _take_jobs(following)
            if len(jobs) >= MOST_SHARING or self._jobs.empty():
                break
            following = self._jobs.get()
        else:
            self._jobs.put(None)
        if jobs:
            self.has_jobs = True
            self._commit(jobs)
            self.has_jobs = False
        if self._untidy:
            self._step()

    def _commit(self, jobs: list[Job]) -> None:
        """Do all jobs in one transaction; if that fails, each in its own."""
        pauses = self._pauses()
        while jobs := [job for job in jobs if not job.future.cancelled()]:
            began = time.perf_counter()
            try:
                with self.gate:
                    results = in_transaction(self._connect(), partial(_do_all, jobs))
            except Exception as error:
                if not is_busy(error):
                    self._redo(jobs, error)
                    return
                jobs = self._wait(jobs, error, next(pauses))
            else:
                self.locked = None
                deliver([(job, result, None) for job, result in zip(jobs, results, strict=True)])
                is_fast = time.perf_counter() - began < QUICK_SECONDS
                self._quick.open(commits=QUICK_STREAK, is_fast=is_fast)
                return

    def _redo(self, jobs: Sequence[Job], error: Exception) -> None:
        """Do each alone: one of them failed, and none was written."""
        if len(jobs) == 1:
            self._fail(jobs, error)
            return
        with self.gate:
            self.disconnect()
        for job in jobs:
            self._commit([job])

    def _step(self) -> None:
        """Tidy up for a few milliseconds; the rest comes after the jobs that have queued up."""
        self._untidy = self._tidy()
        if self._untidy:
            if self._jobs.empty():
                time.sleep(BREATH_SECONDS)
            self._jobs.put(Tidying.DUE)

    def _tidy(self) -> bool:
        """Tidy up, and return whether there is more to do; what fails is tried again later."""
        try:
            with self.gate:
                more = self._housekeeping.step(self._connect())
        except (sqlite3.Error, OSError, MemoryStoreError) as error:
            if not is_busy(error):
                with self.gate:
                    self.disconnect()
                if not self._failing:  # calls that need the file tell their callers
                    LOGGER.info("%s could not be tidied up: %s", self._file.path, error)
                self._failing = True
            return False
        self._failing = False
        return more

    def _finish(self) -> None:
        """Tidy up for a moment: a process that opens the store for one call takes its share."""
        give_up = time.monotonic() + CLOSING_SECONDS
        while self._untidy and time.monotonic() < give_up:
            self._untidy = self._tidy()


def _take_jobs(entry: Entry) -> list[Job]:
    """Return the jobs of an entry that are this thread's to do."""
    return [] if isinstance(entry, Tidying) else [job for job in entry if job.take()]


def _do_all(jobs: Sequence[Job], connection: sqlite3.Connection) -> list[Any]:
    """Do the work of those whose callers are still there, now that the file is ours."""
    return [None if job.future.cancelled() else job.work(connection) for job in jobs]


def refuse_the_rest(jobs: Queue, error: Callable[[], Exception]) -> None:
    """Fail the jobs that were queued behind the end, so that their callers do not wait."""
    with contextlib.suppress(queue.Empty):
        while True:
            entry = jobs.get_nowait()
            if entry is not None and not isinstance(entry, Tidying):
                deliver([(job, None, error()) for job in entry])

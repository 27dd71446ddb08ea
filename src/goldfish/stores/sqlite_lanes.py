"""The lanes on which work reaches SQLite, each with a connection of its own.

Syncing a commit to the disk costs far more than the statements in it, so one thread writes: it
takes whatever has queued up and commits it together. Up to four threads read. But a hop to a
thread and back can cost as much as a commit on a fast disk, so a lone small piece of work is done
at once, in the caller's thread, as long as nothing is in its way: that lane never waits for a lock
and leaves everything unusual (other writers, long reads, errors, a slow disk) to the threads.
"""

import asyncio
import contextlib
import os
import queue
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from goldfish.errors import MemoryStoreBackendError, MemoryStoreClosedError, MemoryStoreError
from goldfish.stores.sqlite_file import BUSY, SQLiteFile, error_code, is_busy

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Work = Callable[[sqlite3.Connection], Any]


class Read(Protocol[T_co]):
    """A read that raises TooManyRowsError beyond ``most`` rows."""

    def __call__(self, connection: sqlite3.Connection, most: int | None) -> T_co: ...


Outcome = tuple["asyncio.Future[Any]", Any, Exception | None]

MOST_READERS = 4
MOST_SHARING = 256  # writes in one commit
QUICK_ROWS = 500  # rows that a read may fetch in the caller's thread
QUICK_SECONDS = 0.002  # a commit that takes longer is the threads' business for a while
QUICK_STREAK = 200  # commits in the caller's thread before the writer may check the log's size


class TooManyRowsError(Exception):
    """A read found more rows than the caller's thread should fetch."""


class Job:
    """One piece of work, and the future that waits for it in some event loop."""

    __slots__ = ("future", "loop", "work")

    def __init__(self, work: Work, loop: asyncio.AbstractEventLoop) -> None:
        self.work = work
        self.loop = loop
        self.future: asyncio.Future[Any] = loop.create_future()


class SQLiteLanes:
    """All lanes to one file; threads are started when they are first needed."""

    def __init__(self, file: SQLiteFile) -> None:
        self._file = file
        self._quick = _QuickLane(file)
        self._writes: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._reads: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._readers: list[threading.Thread] = []
        self._start_lock = threading.Lock()
        self._fresh: dict[asyncio.AbstractEventLoop, list[Job]] = {}
        self._stopped = False
        self._pid = os.getpid()

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work inside a transaction that is on the disk when this returns."""
        self._refuse_misuse()
        loop = asyncio.get_running_loop()
        job = Job(work, loop)
        company = self._fresh.get(loop)
        if company is None:
            self._fresh[loop] = [job]
            loop.call_soon(self._dispatch, loop)  # after the tasks that are about to write too
        else:
            company.append(job)
        return cast(T, await job.future)

    async def read(self, work: Read[T]) -> T:
        """Do the work on a connection that only reads."""
        self._refuse_misuse()
        done, result = self._quick.try_read(work)
        if done:
            return cast(T, result)
        if len(self._readers) < MOST_READERS and (not self._readers or not self._reads.empty()):
            with self._start_lock:
                self._readers.append(_started(_Reader(self._file, self._reads, self._quick)))
        job = Job(partial(work, most=None), asyncio.get_running_loop())
        self._reads.put(job)
        return cast(T, await job.future)

    def stop(self) -> None:
        """Tell the threads to end once they have done what is queued."""
        self._stopped = True
        for loop in list(self._fresh):
            self._enqueue(self._fresh.pop(loop, []))
        self._writes.put(None)
        self._reads.put(None)

    def join(self) -> None:
        """Wait until all connections are closed."""
        for thread in [self._writer, *self._readers]:
            if thread is not None:
                thread.join()
        self._quick.close()
        _refuse_the_rest(self._writes)
        _refuse_the_rest(self._reads)

    def _dispatch(self, loop: asyncio.AbstractEventLoop) -> None:
        jobs = self._fresh.pop(loop, [])
        if len(jobs) == 1 and self._writes.empty() and self._quick.try_write(jobs[0]):
            return
        self._enqueue(jobs)

    def _enqueue(self, jobs: Sequence[Job]) -> None:
        with self._start_lock:
            if jobs and self._writer is None:
                self._writer = _started(_Writer(self._file, self._writes, self._quick))
        for job in jobs:
            self._writes.put(job)

    def _refuse_misuse(self) -> None:
        if self._stopped:
            raise closed_error()
        # Threads do not survive a fork: a call in the child would wait for ever.
        if os.getpid() != self._pid:
            raise MemoryStoreError(
                "this store was used before the process forked: open a new one in each process"
            )


def closed_error() -> MemoryStoreClosedError:
    """What a call gets that comes while the store is being closed, or later."""
    return MemoryStoreClosedError("this SQLiteMemoryStore is closed: open a new one")


def _refuse_the_rest(jobs: "queue.SimpleQueue[Job | None]") -> None:
    """Nobody serves what was queued behind the end: say so instead of letting callers wait."""
    with contextlib.suppress(queue.Empty):
        while True:
            job = jobs.get_nowait()
            if job is not None:
                _deliver([(job, None, closed_error())])


def _started(lane: "_Lane") -> threading.Thread:
    thread = threading.Thread(target=lane.run, name="goldfish-sqlite", daemon=True)
    thread.start()
    return thread


class _QuickLane:
    """The connection for work in the caller's own thread; the threads open it."""

    def __init__(self, file: SQLiteFile) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()  # held by one event loop at a time
        self._commits_left = 0

    def open(self, *, commits: int = 0) -> None:
        """Get ready for the next caller, without ever waiting for locks."""
        if self._connection is not None and commits <= self._commits_left:
            return
        with self._lock, contextlib.suppress(sqlite3.Error, OSError, MemoryStoreError):
            if self._connection is None:
                self._connection = self._file.connect(timeout=0)
                self._connection.execute("PRAGMA wal_autocheckpoint=0")
            self._commits_left = max(self._commits_left, commits)

    def close(self) -> None:
        with self._lock:
            self._drop()

    def try_write(self, job: Job) -> bool:
        """Commit the job and settle its future, unless anything is in the way."""
        if self._commits_left <= 0 or not self._lock.acquire(blocking=False):
            return False
        try:
            began = time.perf_counter()
            done, result = self._try(partial(_in_transaction, work=job.work))
            slow = time.perf_counter() - began > QUICK_SECONDS
            self._commits_left = 0 if slow else self._commits_left - 1
        finally:
            self._lock.release()
        if done and not job.future.done():
            job.future.set_result(result)
        return done

    def try_read(self, work: Read[T]) -> tuple[bool, T | None]:
        """Whether the read could be done here, and what it found."""
        if self._connection is None or not self._lock.acquire(blocking=False):
            return False, None
        try:
            return self._try(partial(work, most=QUICK_ROWS))
        finally:
            self._lock.release()

    def _try(self, work: Work) -> tuple[bool, Any]:
        if self._connection is None:
            return False, None
        try:
            self._file.check_in_place()
            return True, work(self._connection)
        except TooManyRowsError:
            return False, None
        except Exception as error:  # whatever it is: a thread does it again, and reports it
            if not (isinstance(error, sqlite3.Error) and is_busy(error)):
                self._drop()
            return False, None

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        self._commits_left = 0
        _close(connection)


def _in_transaction(connection: sqlite3.Connection, work: Work) -> Any:
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _close(connection: sqlite3.Connection | None) -> None:
    if connection is not None:
        with contextlib.suppress(sqlite3.Error):  # it failed before, or the disk did
            connection.close()


class _Lane(ABC):
    """A thread's own connection, opened when needed and again after it failed."""

    def __init__(
        self, file: SQLiteFile, jobs: "queue.SimpleQueue[Job | None]", quick: _QuickLane
    ) -> None:
        self._file = file
        self._jobs = jobs
        self._quick = quick
        self._connection: sqlite3.Connection | None = None

    def run(self) -> None:
        """Serve until None comes; leave it for the other threads on the same queue."""
        while (job := self._jobs.get()) is not None:
            self._serve(job)
        self._jobs.put(None)
        self._disconnect()

    @abstractmethod
    def _serve(self, job: Job) -> None: ...

    def _connected(self) -> sqlite3.Connection:
        try:
            if self._connection is None:
                self._connection = self._file.connect()
            self._file.check_in_place()
        except (sqlite3.Error, OSError) as error:
            raise explained(error, self._file) from error
        return self._connection

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        _close(connection)

    def _failure(self, error: Exception) -> Exception:
        """The error as the caller sees it; the next job gets a new connection."""
        self._disconnect()
        if isinstance(error, sqlite3.Error | OSError):
            failure = explained(error, self._file)
            failure.__cause__ = error
            return failure
        return error


class _Reader(_Lane):
    def _serve(self, job: Job) -> None:
        if job.future.cancelled():
            return
        try:
            _deliver([(job, job.work(self._connected()), None)])
        except Exception as error:
            _deliver([(job, None, self._failure(error))])
        else:
            self._quick.open()


class _Writer(_Lane):
    def _serve(self, job: Job) -> None:
        jobs = [job]
        while len(jobs) < MOST_SHARING and not self._jobs.empty():
            following = self._jobs.get()
            if following is None:
                self._jobs.put(None)
                break
            jobs.append(following)
        self._commit([job for job in jobs if not job.future.cancelled()])

    def _commit(self, jobs: Sequence[Job]) -> None:
        """Do all jobs in one transaction; if that fails, each in its own."""
        try:
            connection = self._connected()
        except Exception as error:
            failure = self._failure(error)
            _deliver([(job, None, failure) for job in jobs])
            return
        began = time.perf_counter()
        try:
            results = _in_transaction(connection, partial(_do_all, jobs))
        except Exception as error:
            self._redo(jobs, error)
            return
        _deliver([(job, result, None) for job, result in zip(jobs, results, strict=True)])
        if time.perf_counter() - began < QUICK_SECONDS:
            self._quick.open(commits=QUICK_STREAK)

    def _redo(self, jobs: Sequence[Job], error: Exception) -> None:
        """One of them failed and none was written: whose fault it is shows when each is alone.

        A lock that others hold is nobody's fault, and waiting again for each would take for ever.
        """
        failure = self._failure(error)
        if len(jobs) == 1 or (isinstance(error, sqlite3.Error) and is_busy(error)):
            _deliver([(job, None, failure) for job in jobs])
        else:
            for job in jobs:
                self._commit([job])


def _do_all(jobs: Sequence[Job], connection: sqlite3.Connection) -> list[Any]:
    return [job.work(connection) for job in jobs]


def _deliver(done: Sequence[tuple[Job, Any, Exception | None]]) -> None:
    """Wake the waiting callers, each in its own event loop, each loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Outcome]] = defaultdict(list)
    for job, result, error in done:
        by_loop[job.loop].append((job.future, result, error))
    for loop, outcomes in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, outcomes)


def _settle(outcomes: Sequence[Outcome]) -> None:
    for future, result, error in outcomes:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)


def explained(error: Exception, file: SQLiteFile) -> MemoryStoreBackendError:
    """The backend error that says what happened to the file and what to do."""
    return MemoryStoreBackendError(f"{file.path}: {error}: {_advice(error, file)}")


def _advice(error: Exception, file: SQLiteFile) -> str:
    code = error_code(error)
    if code in BUSY:
        return f"another process held the file for more than {file.timeout:g} s; try again"
    return _ADVICE.get(code, "check that the path exists and that this user may write there")


_ADVICE = {
    sqlite3.SQLITE_NOTADB: "this is not a SQLite database (or is encrypted); give another path",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore it from a backup",
    sqlite3.SQLITE_FULL: "the disk is full; free some space, nothing of this write was kept",
    sqlite3.SQLITE_READONLY: "the file or its directory is read-only; allow this user to write",
    sqlite3.SQLITE_IOERR: "the disk failed or is full; nothing of this write was kept",
    sqlite3.SQLITE_TOOBIG: "a message is larger than SQLite allows",
}

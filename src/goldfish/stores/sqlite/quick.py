"""The lane for a lone small piece of work: done at once, in the caller's own thread.

That thread may have an event loop, which a slow commit would hold up. A caller without one waits
for the disk in any case, so it commits here however slow the disk is.
"""

import contextlib
import sqlite3
import threading
import time
from functools import partial
from typing import Any, Protocol, TypeVar

from goldfish.errors import MemoryStoreError
from goldfish.stores.sqlite.errors import is_busy
from goldfish.stores.sqlite.file import SQLiteFile
from goldfish.stores.sqlite.jobs import Work, log_slow
from goldfish.stores.sqlite.transactions import in_transaction

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

QUICK_ROWS = 500  # rows that a read may fetch in the caller's thread
QUICK_SECONDS = 0.002  # a commit that takes longer is the threads' business for a while
QUICK_WAIT = 0.1  # seconds for which a caller without a loop waits for another to be done here
QUICK_STREAK = 200  # commits in callers' threads before the writer may check the log's size


class Read(Protocol[T_co]):
    """A read that raises TooManyRowsError beyond ``most`` rows."""

    def __call__(self, connection: sqlite3.Connection, most: int | None) -> T_co: ...


class TooManyRowsError(Exception):
    """A read found more rows than the caller's thread should fetch."""


def fetch(cursor: sqlite3.Cursor, most: int | None) -> list[Any]:
    """Return all rows, unless there are more than ``most``."""
    if most is None:
        return cursor.fetchall()
    rows = cursor.fetchmany(most + 1)
    if len(rows) > most:
        cursor.close()
        raise TooManyRowsError
    return rows


class QuickLane:
    """The connection for work in the caller's own thread; the threads open it."""

    def __init__(self, file: SQLiteFile) -> None:
        self._file = file
        self.connection: sqlite3.Connection | None = None
        self.gate = threading.Lock()  # held by whoever uses the connection: one loop at a time
        self._queue = threading.Lock()  # held by the one caller who waits for the gate
        self._commits_left = 0
        self._is_fast = False  # so an event loop may wait for a commit

    def open(self, *, commits: int = 0, is_fast: bool = False) -> None:
        """Get ready for the next callers, without ever waiting for locks."""
        is_ready = commits <= self._commits_left and is_fast <= self._is_fast
        if self.connection is not None and is_ready:
            return
        with self.gate, contextlib.suppress(sqlite3.Error, OSError, MemoryStoreError):
            if self.connection is None:
                self.connection = self._file.connect()
                self.connection.execute("PRAGMA wal_autocheckpoint=0")
            self._commits_left = max(self._commits_left, commits)
            self._is_fast = self._is_fast or is_fast

    def close(self) -> None:
        """Close the connection; the next caller gets one when a thread has opened it."""
        with self.gate:
            self.disconnect()

    def disconnect(self) -> None:
        """Close the connection, for whoever holds the gate."""
        connection, self.connection = self.connection, None
        self._commits_left, self._is_fast = 0, False
        close_quietly(connection)

    def try_write(self, work: Work, *, is_patient: bool = False) -> tuple[bool, Any]:
        """Return whether the work was committed here, and its result.

        A caller without an event loop is patient.
        """
        may_commit = (is_patient or self._is_fast) and self._commits_left > 0
        if not may_commit or not self._enter(is_patient):
            return False, None
        try:
            began = time.monotonic()
            done, result = self._try(partial(in_transaction, work=work))
            slow = time.monotonic() - began > QUICK_SECONDS
            self._commits_left -= 1
            self._is_fast = self._is_fast and not slow
        finally:
            self.gate.release()
        if slow:
            log_slow(began)
        return done, result

    def try_read(self, work: Read[T], *, is_patient: bool = False) -> tuple[bool, T | None]:
        """Return whether the read could be done here, and what it found."""
        if self.connection is None or not self._enter(is_patient):
            return False, None
        try:
            return self._try(partial(work, most=None if is_patient else QUICK_ROWS))
        finally:
            self.gate.release()

    def _enter(self, is_patient: bool) -> bool:
        """Return whether the gate could be taken; patient callers wait for it, but never two.

        To wait for one other takes less time than a hop to the writer; more of them share a commit.
        """
        if self.gate.acquire(blocking=False):
            return True
        if not is_patient or not self._queue.acquire(blocking=False):
            return False
        try:
            return self.gate.acquire(timeout=QUICK_WAIT)
        finally:
            self._queue.release()

    def _try(self, work: Work) -> tuple[bool, Any]:
        if self.connection is None:
            return False, None
        try:
            self._file.check_in_place()
            return True, work(self.connection)
        except TooManyRowsError:
            return False, None
        except Exception as error:  # whatever it is: a thread does it again, and reports it
            if not is_busy(error):
                self.disconnect()
            return False, None


def close_quietly(connection: sqlite3.Connection | None) -> None:
    """Close the connection, if there is one."""
    if connection is not None:
        with contextlib.suppress(sqlite3.Error):  # it failed before, or the disk did
            connection.close()

"""Removing from a SQLite file what has expired, a few milliseconds at a time.

SQLite overwrites what is removed (``secure_delete``), but the write-ahead log still holds the pages
as they were. So once all is removed the log is emptied as well, as soon as no reader needs it; the
same after calls that remove on purpose.
"""

import contextlib
import os
import sqlite3
import time

from goldfish.stores.sqlite import facts, sessions
from goldfish.stores.sqlite.file import LOG_BYTES, SQLiteFile
from goldfish.stores.sqlite.jobs import LOGGER
from goldfish.stores.sqlite.transactions import in_transaction

STEP_SECONDS = 0.003  # for which callers may have to wait behind a step


class Housekeeper:
    """Keeps one file free of what has expired or was removed on purpose."""

    def __init__(self, file: SQLiteFile) -> None:
        self._file = file
        self._expired = 0  # sessions and facts that were removed since the log was emptied
        self._erasing = False

    def erase_soon(self) -> None:
        """Note that something was removed on purpose, of which the log has traces."""
        self._erasing = True

    def step(self, connection: sqlite3.Connection) -> bool:
        """Do a few milliseconds of work; return whether there is more."""
        now = time.time()
        if sessions.any_expired(connection, now) or facts.any_expired(connection, now):
            self._expired += in_transaction(connection, lambda _: _remove_some(connection, now))
            self._erasing = True
            return True
        if self._erasing or self._log_size() > LOG_BYTES:
            self._erasing = False  # before: what others remove meanwhile counts again
            if not self._empty_log(connection):
                self._erasing = True
        if self._expired and not self._erasing:
            LOGGER.info("%s: removed %d expired items", self._file.path, self._expired)
            self._expired = 0
        return False

    def _log_size(self) -> int:
        with contextlib.suppress(OSError):
            return os.stat(f"{self._file.path}-wal").st_size
        return 0

    def _empty_log(self, connection: sqlite3.Connection) -> bool:
        """Move what the log holds to the file and cut it; return False if others were reading."""
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()  # others go on meanwhile
        (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy


def _remove_some(connection: sqlite3.Connection, now: float) -> int:
    until = time.perf_counter() + STEP_SECONDS
    removed = 0
    for remove_one in (sessions.remove_one_expired, facts.remove_one_expired):
        while time.perf_counter() < until and remove_one(connection, now):
            removed += 1
    return removed

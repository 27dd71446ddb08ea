"""The errors of a SQLite file: what happened, and what to do."""

import sqlite3
from typing import TYPE_CHECKING

from goldfish.errors import MemoryStoreBackendError, MemoryStoreClosedError

if TYPE_CHECKING:
    from goldfish.stores.sqlite.file import SQLiteFile

BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def error_code(error: Exception) -> int:
    """Return SQLite's primary code for the error, or 0 if it has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def is_busy(error: Exception) -> bool:
    """Return whether another connection was in the way."""
    return error_code(error) in BUSY


def explain(error: Exception, file: "SQLiteFile") -> MemoryStoreBackendError:
    """Return the backend error that says what happened to the file and what to do."""
    what = error.strerror if isinstance(error, OSError) and error.strerror else error
    failure = MemoryStoreBackendError(f"{file.path}: {what}: {_advise(error, file)}")
    failure.__cause__ = error
    return failure


def overdue_error(file: "SQLiteFile") -> MemoryStoreBackendError:
    """Return the error for a call whose turn did not come in time."""
    return MemoryStoreBackendError(
        f"{file.path}: other calls of this process kept this one waiting for more than "
        f"{file.timeout:g} s, so it was not started; try again, or raise the timeout"
    )


def closed_error() -> MemoryStoreClosedError:
    """Return the error for a call that comes while the store is being closed, or later."""
    return MemoryStoreClosedError("this SQLiteMemoryStore is closed: open a new one")


def _advise(error: Exception, file: "SQLiteFile") -> str:
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

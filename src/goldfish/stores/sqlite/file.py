"""The SQLite file of a store: created once, durable, with the newest schema."""

import contextlib
import os
import sqlite3
import threading
from pathlib import Path
from urllib.parse import quote

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.sqlite.schema import MIGRATIONS, migrate

LOG_BYTES = 16 << 20  # beyond which the write-ahead log is cut, once no reader needs it

_creating = threading.Lock()


class SQLiteFile:
    """One database file that may be opened many times, by many threads and processes."""

    def __init__(self, path: str | os.PathLike[str], *, timeout: float) -> None:
        self.path = Path(path).absolute()
        self.timeout = timeout
        self._identity: tuple[int, int] | None = None  # of the file when it was first opened

    def connect(self) -> sqlite3.Connection:
        """Open a connection in write-ahead mode that syncs each commit to the disk.

        It never waits: it raises if others are in the way, and the caller may try again.
        """
        # A file that vanished must not look like an empty memory: only the first opening creates.
        if self._identity is None:
            self._create()
        connection = sqlite3.connect(
            f"file:{quote(os.fsencode(self.path))}?mode=rw",
            uri=True,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def check_in_place(self) -> None:
        """Raise if the path no longer leads to the file that was opened.

        SQLite would go on writing into a deleted file and acknowledge what nobody can ever read.
        """
        status = os.stat(self.path)
        if self._identity != (status.st_dev, status.st_ino):
            raise MemoryStoreBackendError(
                f"{self.path} was replaced while it was open: open the store again"
            )

    def is_same_as(self, other: "SQLiteFile") -> bool:
        """Return whether both lead to one file, as far as this one has been opened."""
        with contextlib.suppress(OSError):
            status = os.stat(other.path)
            return self._identity == (status.st_dev, status.st_ino)
        return False

    def _create(self) -> None:
        """Make the file, unless there is one, for its owner alone: it holds what users said.

        SQLite gives its log the same mode. A link is followed to where the file belongs.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        # To close a file that SQLite has open drops the locks of this process: not even the file
        # of another thread that has just made it may be closed here.
        with _creating, contextlib.suppress(FileExistsError):
            os.close(os.open(os.path.realpath(self.path), flags, 0o600))

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")  # what is removed is overwritten
        connection.execute(f"PRAGMA journal_size_limit={LOG_BYTES}")
        migrate(connection, MIGRATIONS, self.path)
        if self._identity is None:
            status = os.stat(self.path)
            self._identity = (status.st_dev, status.st_ino)

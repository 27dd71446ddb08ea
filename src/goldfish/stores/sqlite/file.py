"""Opening a SQLite file as a store needs it: durable, with today's schema, and never by mistake."""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from goldfish.errors import MemoryStoreBackendError, SchemaTooNewError
from goldfish.stores.sqlite.facts_schema import FACTS
from goldfish.stores.sqlite.jobs import LOGGER
from goldfish.stores.sqlite.retries_schema import RETRIES
from goldfish.stores.sqlite.search_schema import SEARCH
from goldfish.stores.sqlite.state_schema import STATE

# The tables carry our name and the version has a table of its own, so that the memory may live
# in a file that belongs to an application (whose user_version is not ours to use).
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE goldfish_sessions (
            pk INTEGER PRIMARY KEY,
            session_id NOT NULL UNIQUE,
            expires_at REAL
        )""",
        """CREATE INDEX goldfish_sessions_expiring
            ON goldfish_sessions (expires_at) WHERE expires_at IS NOT NULL""",
        # place = session * 2**32 + position: the rows of a session lie side by side, in order,
        # in the table itself, so that an append touches one page here and one of the index.
        """CREATE TABLE goldfish_messages (
            place INTEGER PRIMARY KEY,
            session INTEGER NOT NULL,
            id NOT NULL,
            body TEXT NOT NULL
        )""",
        # Our ids grow with time: with the id first, new entries share the index's last page.
        "CREATE UNIQUE INDEX goldfish_messages_by_id ON goldfish_messages (id, session)",
    ),
    (  # snapshots: sqlite_sessions.py says what they show
        "ALTER TABLE goldfish_sessions ADD COLUMN snapshot INTEGER",
        "ALTER TABLE goldfish_sessions ADD COLUMN top INTEGER",
        # A number is never used again, not even that of a deleted snapshot.
        """CREATE TABLE goldfish_snapshots (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL,
            id TEXT NOT NULL UNIQUE,
            label,
            created_at REAL NOT NULL,
            top INTEGER NOT NULL,
            seconds_left REAL
        )""",
        "CREATE INDEX goldfish_snapshots_by_session ON goldfish_snapshots (session, number)",
        """CREATE TABLE goldfish_lives (
            place INTEGER NOT NULL,
            born INTEGER NOT NULL,
            session INTEGER NOT NULL,
            died INTEGER NOT NULL,
            PRIMARY KEY (place, born)
        ) WITHOUT ROWID""",
        "CREATE INDEX goldfish_lives_by_end ON goldfish_lives (session, died)",
        """CREATE TABLE goldfish_archive (
            place INTEGER PRIMARY KEY,
            id NOT NULL,
            body TEXT NOT NULL
        )""",
    ),
    FACTS,
    SEARCH,
    STATE,
    RETRIES,
)
LOG_BYTES = 16 << 20  # beyond which the write-ahead log is cut, once no reader needs it

_creating = threading.Lock()


class SQLiteFile:
    """One database file that may be opened many times, by many threads and processes."""

    def __init__(self, path: str | os.PathLike[str], *, timeout: float) -> None:
        self.path = Path(path).absolute()
        self.timeout = timeout
        self._identity: tuple[int, int] | None = None  # of the file when it was first opened

    def connect(self) -> sqlite3.Connection:
        """A new connection, in write-ahead mode, that syncs each commit to the disk.

        It never waits: if others are in the way, that is an error, and the caller may try again.
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
        """Whether both lead to one file, as far as this one has been opened."""
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


def in_transaction(
    connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], Any]
) -> Any:
    """Do the work and commit it, or leave no trace of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def migrate(
    connection: sqlite3.Connection, migrations: Sequence[Sequence[str]], path: Path
) -> None:
    """Bring the schema to the newest version, in one transaction, or refuse a newer one."""
    newest = len(migrations)
    if _version(connection, path, newest) == newest:
        return

    def change(connection: sqlite3.Connection) -> int:
        version = _version(connection, path, newest)  # again, now that nobody else writes
        connection.execute("CREATE TABLE IF NOT EXISTS goldfish_schema (version INTEGER NOT NULL)")
        for statements in migrations[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute("DELETE FROM goldfish_schema")
        connection.execute("INSERT INTO goldfish_schema VALUES (?)", (newest,))
        return version

    version = in_transaction(connection, change)
    if 0 < version < newest:
        LOGGER.info("%s: migrated from schema version %d to %d", path, version, newest)


def _version(connection: sqlite3.Connection, path: Path, newest: int) -> int:
    known = connection.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'goldfish_schema'"
    ).fetchone()
    row = connection.execute("SELECT version FROM goldfish_schema").fetchone() if known else None
    version = int(row[0]) if row else 0
    if version > newest:
        raise SchemaTooNewError(
            f"{path} has schema version {version} and this goldfish knows {newest}: "
            "pip install --upgrade goldfish"
        )
    return version

"""A plain, correct store on a SQLite file, from which most specimens differ in one thing.

It is written as a stranger would write it, sync and without haste, and shares nothing with our own
stores but the encoding of messages. Specimens override the smallest method that holds their bug.
"""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from goldfish.encoding import decode_messages, encode_batch
from goldfish.messages import ChatMessage
from goldfish.specimens.references.keys import Rows, decoded, encoded

SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
    n INTEGER PRIMARY KEY AUTOINCREMENT, session BLOB, id BLOB, body TEXT, UNIQUE (session, id));
CREATE TABLE IF NOT EXISTS deadlines (session BLOB PRIMARY KEY, at REAL);
"""


class Database:
    """An open SQLite file, with the tables that a class and its bases name."""

    tables = ""

    def __init__(self, path: Any) -> None:
        self.path = path
        self.db = sqlite3.connect(path, timeout=30, isolation_level=None)
        for kind in reversed(type(self).__mro__):
            self.db.executescript(vars(kind).get("tables", ""))
        self.set_up()

    def set_up(self) -> None:
        """Prepare what this opening keeps in memory."""

    def key(self, text: str) -> bytes:
        """Return an id or a text as the database keeps it."""
        return encoded(text)

    def column(self, query: str, *values: Any) -> list[Any]:
        """Return the first column of what a query finds."""
        return [row[0] for row in self.db.execute(query, values)]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of a block or nothing, and keep other writers out meanwhile."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            self.db.execute("ROLLBACK")
            raise

    def close(self) -> None:
        self.db.close()


class Reference(Database):
    """A correct store."""

    tables = SCHEMA
    order = "n"  # by which a history is sorted
    statement = "INSERT OR IGNORE INTO messages (session, id, body) VALUES (?, ?, ?)"

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        self.ttl = ttl
        super().__init__(sandbox.path / "reference.db")

    # What specimens most like to get wrong: texts, rows, deadlines.

    def message_key(self, message_id: str) -> bytes:
        """Return the id of a message as the database keeps it."""
        return encoded(message_id)

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        """Return the (id, body) of each message; raise if one cannot be kept."""
        return encode_batch(messages)

    def decode(self, bodies: list[str]) -> list[Any]:
        """Return the messages of these bodies."""
        return decode_messages(bodies)

    def bodies(self, session_id: str) -> list[str]:
        """Return the bodies of a session that has not expired, oldest first."""
        if self.expired(session_id):
            return []
        query = f"SELECT body FROM messages WHERE session = ? ORDER BY {self.order}"
        return self.column(query, self.key(session_id))

    def deadline(self, session_id: str) -> float | None:
        """Return when the session expires, by the clock of this machine."""
        found = self.column("SELECT at FROM deadlines WHERE session = ?", self.key(session_id))
        return float(found[0]) if found else None

    def expired(self, session_id: str) -> bool:
        """Return True if the session's time is over."""
        deadline = self.deadline(session_id)
        return deadline is not None and deadline <= time.time()

    # The methods of a store.

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = self.encode(messages)
        if not rows:
            return
        with self.transaction():
            self.bury(session_id)
            self.insert(session_id, rows)
            if self.ttl is not None:
                self.put_deadline(session_id, time.time() + self.ttl)

    def insert(self, session_id: str, rows: Rows) -> None:
        """Write the rows whose ids the session lacks."""
        values = [(self.key(session_id), self.message_key(name), body) for name, body in rows]
        self.db.executemany(self.statement, values)

    def bury(self, session_id: str) -> None:
        """Remove the session if it has expired."""
        if self.expired(session_id):
            self.remove_session(session_id)

    def put_deadline(self, session_id: str, moment: float) -> None:
        self.db.execute(
            "INSERT OR REPLACE INTO deadlines VALUES (?, ?)", (self.key(session_id), moment)
        )

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is not None and last < 0:
            raise ValueError("last must not be negative")
        bodies = self.bodies(session_id)
        return self.decode(bodies if last is None else bodies[max(0, len(bodies) - last) :])

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        doomed = "SELECT n FROM messages WHERE session = ? ORDER BY n DESC LIMIT -1 OFFSET ?"
        return self.db.execute(
            f"DELETE FROM messages WHERE n IN ({doomed})", (self.key(session_id), keep_last)
        ).rowcount

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        names = [(self.key(session_id), self.message_key(name)) for name in ids]
        query = "DELETE FROM messages WHERE session = ? AND id = ?"
        return self.db.executemany(query, names).rowcount

    def clear(self, session_id: str) -> None:
        self.remove_session(session_id)

    def remove_session(self, session_id: str) -> None:
        """Remove the messages of a session, and its deadline."""
        self.drop_messages(session_id)
        self.drop_deadline(session_id)

    def drop_messages(self, session_id: str) -> None:
        self.db.execute("DELETE FROM messages WHERE session = ?", (self.key(session_id),))

    def drop_deadline(self, session_id: str) -> None:
        self.db.execute("DELETE FROM deadlines WHERE session = ?", (self.key(session_id),))

    def clear_all(self) -> None:
        self.db.execute("DELETE FROM messages")
        self.db.execute("DELETE FROM deadlines")

    def list_sessions(self) -> list[str]:
        names = map(decoded, self.column("SELECT DISTINCT session FROM messages"))
        return [name for name in names if not self.expired(name)]

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        if seconds is None:
            self.drop_deadline(session_id)
        elif self.bodies(session_id):
            self.put_deadline(session_id, time.time() + seconds)

    def get_ttl(self, session_id: str) -> float | None:
        deadline = self.deadline(session_id)
        return None if deadline is None or deadline <= time.time() else deadline - time.time()

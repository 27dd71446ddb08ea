"""A plain, correct memory for facts on a SQLite file: what specimens of facts are, but for one bug.

It is written as a stranger would, sync, finds facts by their words alone, and shares nothing with
our own stores. Specimens override the smallest method that holds their bug.
"""

import sqlite3
import time
import uuid
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens.references.fact_search import FactFinder, Row

SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    n INTEGER PRIMARY KEY AUTOINCREMENT, user BLOB, id TEXT, same BLOB, text BLOB, metadata TEXT,
    seen INTEGER, deadline REAL, UNIQUE (user, same));
CREATE TABLE IF NOT EXISTS earlier (
    n INTEGER PRIMARY KEY AUTOINCREMENT, user BLOB, id TEXT, text BLOB, metadata TEXT);
"""


class FactsReference(FactFinder):
    """A correct memory for facts."""

    def __init__(self, sandbox: Any) -> None:
        self.path = sandbox.path / "facts.db"
        self.db = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        self.db.execute("PRAGMA synchronous = OFF")  # processes are killed here, power is not cut
        self.db.executescript(SCHEMA)

    def unique(self, text: str) -> bytes:
        """What a user can have only once in the table."""
        return self.key(self.same(text))

    def rows(self, user_id: str) -> list[Row]:
        """The facts of a user that have not expired, in the order first remembered."""
        query = (
            "SELECT user, id, text, metadata, seen FROM facts WHERE user = ?"
            " AND (deadline IS NULL OR deadline > ?) ORDER BY n"
        )
        return self.db.execute(query, (self.key(user_id), self.now())).fetchall()

    def now(self) -> float:
        """The time by which facts expire."""
        return time.time()

    # The methods that write, and the history of what was revised.

    def remember(
        self,
        user_id: str,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
    ) -> Fact:
        encoded = self.encode(metadata)
        self.db.execute("BEGIN IMMEDIATE")
        try:
            self.bury(user_id)
            name = self.insert(user_id, text, encoded, ttl)
            self.db.execute("COMMIT")
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        row = self.row(user_id, name)
        return self.fact(row) if row else Fact(id=name, user_id=user_id, text=text)

    def bury(self, user_id: str) -> None:
        """Remove what has expired."""
        self.db.execute(
            "DELETE FROM facts WHERE user = ? AND deadline <= ?", (self.key(user_id), self.now())
        )

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        """Write a fact, or count it again; the id that it has."""
        deadline = None if ttl is None else self.now() + ttl
        values = (self.key(user_id), uuid.uuid4().hex, self.unique(text), self.key(text))
        (name,) = self.db.execute(
            "INSERT INTO facts (user, id, same, text, metadata, seen, deadline)"
            " VALUES (?, ?, ?, ?, ?, 1, ?)"
            " ON CONFLICT (user, same) DO UPDATE SET seen = seen + 1 RETURNING id",
            (*values, metadata, deadline),
        ).fetchone()
        return str(name)

    def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        self.db.execute("BEGIN IMMEDIATE")
        try:
            row = self.row(user_id, fact_id)
            if row is None:
                raise KeyError(f"{user_id} has no fact {fact_id}")
            self.keep_earlier(row)
            self.rewrite(row, text)
            self.db.execute("COMMIT")
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        return self.fact(self.row(user_id, fact_id) or row)

    def keep_earlier(self, row: Row) -> None:
        """Put what a fact says into its history."""
        self.db.execute(
            "INSERT INTO earlier (user, id, text, metadata) VALUES (?, ?, ?, ?)", row[:4]
        )

    def rewrite(self, row: Row, text: str) -> None:
        """Let a fact say something else."""
        self.db.execute(
            "UPDATE facts SET text = ?, same = ? WHERE user = ? AND id = ?",
            (self.key(text), self.unique(text), row[0], row[1]),
        )

    def fact_history(self, user_id: str, fact_id: str) -> list[Fact]:
        query = "SELECT user, id, text, metadata, 1 FROM earlier WHERE user = ? AND id = ?"
        found = self.db.execute(query, (self.key(user_id), fact_id)).fetchall()
        return [self.fact(row) for row in found]

    def forget(self, user_id: str, fact_id: str) -> None:
        for table in ("facts", "earlier"):
            self.db.execute(
                f"DELETE FROM {table} WHERE user = ? AND id = ?", (self.key(user_id), fact_id)
            )

    def forget_all(self, user_id: str) -> None:
        for table in ("facts", "earlier"):
            self.db.execute(f"DELETE FROM {table} WHERE user = ?", (self.key(user_id),))

    def close(self) -> None:
        self.db.close()

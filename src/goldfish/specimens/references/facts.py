"""A plain, correct memory for facts on a SQLite file, which finds them by their words alone."""

import time
import uuid
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens.references.fact_search import FactFinder, Row
from goldfish.specimens.references.sqlite import Database

SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    n INTEGER PRIMARY KEY AUTOINCREMENT, user BLOB, id TEXT, same BLOB, text BLOB, metadata TEXT,
    seen INTEGER, deadline REAL, UNIQUE (user, same));
CREATE TABLE IF NOT EXISTS earlier (
    n INTEGER PRIMARY KEY AUTOINCREMENT, user BLOB, id TEXT, text BLOB, metadata TEXT);
"""


class FactsReference(Database, FactFinder):
    """A correct memory for facts."""

    tables = SCHEMA

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox.path / "facts.db")
        self.db.execute("PRAGMA synchronous = OFF")  # processes are killed here, power is not cut

    def unique(self, text: str) -> bytes:
        """Return what a user can have only once in the table."""
        return self.key(self.same(text))

    def rows(self, user_id: str) -> list[Row]:
        """Return the facts of a user that have not expired, in the order first remembered."""
        alive = "user = ? AND (deadline IS NULL OR deadline > ?) ORDER BY n"
        query = f"SELECT user, id, text, metadata, seen FROM facts WHERE {alive}"
        return self.db.execute(query, (self.key(user_id), self.now())).fetchall()

    def rows_of_all(self) -> list[Row]:
        """Return the facts of all users."""
        return self.db.execute("SELECT user, id, text, metadata, seen FROM facts").fetchall()

    def now(self) -> float:
        """Return the time by which facts expire."""
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
        return self.keep(user_id, text, metadata, ttl)

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        """Write a fact, and return it as it is kept."""
        encoded = self.encode(metadata)
        with self.transaction():
            self.bury(user_id)
            name = self.insert(user_id, text, encoded, ttl)
        row = self.row(user_id, name)
        return self.fact(row) if row else Fact(id=name, user_id=user_id, text=text)

    def bury(self, user_id: str) -> None:
        """Remove what has expired."""
        self.db.execute(
            "DELETE FROM facts WHERE user = ? AND deadline <= ?", (self.key(user_id), self.now())
        )

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        """Write a fact, or count it again; return its id."""
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
        with self.transaction():
            row = self.row(user_id, fact_id)
            if row is None:
                raise KeyError(f"{user_id} has no fact {fact_id}")
            self.keep_earlier(row)
            self.rewrite(row, text)
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

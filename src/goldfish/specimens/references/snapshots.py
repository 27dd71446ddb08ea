"""A plain, correct store with snapshots: what every specimen of rolling back is, but for one thing.

A snapshot is a copy of the session's rows, in tables of its own.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from goldfish.messages import Snapshot
from goldfish.specimens.references.sqlite import Reference

SCHEMA = """
CREATE TABLE IF NOT EXISTS snapshots (
    n INTEGER PRIMARY KEY AUTOINCREMENT, session BLOB, id TEXT, label TEXT, seconds REAL);
CREATE TABLE IF NOT EXISTS copies (snapshot TEXT, n INTEGER, id BLOB, body TEXT);
"""


class SnapshotReference(Reference):
    """A correct store that saves sessions and rolls them back."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.db.executescript(SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing, and nobody else meanwhile."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    # The methods of a store.

    def save_snapshot(self, session_id: str, *, label: str | None = None) -> str:
        with self.transaction():
            self.bury(session_id)
            name = self.new_name(session_id)
            self.enter(session_id, name, label)
            self.copy(session_id, name)
        return name

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        with self.transaction():
            seconds = self.found(session_id, snapshot_id)
            self.remove_session(session_id)
            self.restore(session_id, snapshot_id)
            if seconds is not None:
                self.put_deadline(session_id, time.time() + seconds)

    def list_snapshots(self, session_id: str) -> list[Any]:
        rows = self.db.execute(
            "SELECT id, label, (SELECT count(*) FROM copies WHERE snapshot = snapshots.id) "
            "FROM snapshots WHERE session = ? ORDER BY n",
            (self.key(session_id),),
        )
        return [
            Snapshot(id=name, session_id=session_id, label=label, message_count=count)
            for name, label, count in rows
        ]

    def delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        key = self.key(session_id)
        with self.transaction():
            mine = "SELECT id FROM snapshots WHERE session = ? AND id = ?"
            self.db.execute(f"DELETE FROM copies WHERE snapshot IN ({mine})", (key, snapshot_id))
            self.db.execute(
                "DELETE FROM snapshots WHERE session = ? AND id = ?", (key, snapshot_id)
            )

    def fork(self, session_id: str, snapshot_id: str, new_session_id: str) -> None:
        with self.transaction():
            self.found(session_id, snapshot_id)
            if self.bodies(new_session_id):
                raise ValueError("the session to fork into has messages")
            self.restore(new_session_id, snapshot_id)

    def clear_all(self) -> None:
        super().clear_all()
        self.db.execute("DELETE FROM snapshots")
        self.db.execute("DELETE FROM copies")

    # What specimens most like to get wrong.

    def new_name(self, session_id: str) -> str:
        """An id that no other snapshot has."""
        return uuid4().hex

    def enter(self, session_id: str, name: str, label: str | None) -> None:
        """Note that there is a snapshot, and the time that the session has left."""
        deadline = self.deadline(session_id)
        seconds = None if deadline is None else deadline - time.time()
        self.db.execute(
            "INSERT INTO snapshots (session, id, label, seconds) VALUES (?, ?, ?, ?)",
            (self.key(session_id), name, label, seconds),
        )

    def copy(self, session_id: str, name: str) -> None:
        """Keep the session's rows for the snapshot."""
        self.db.execute(
            "INSERT INTO copies SELECT ?, n, id, body FROM messages WHERE session = ?",
            (name, self.key(session_id)),
        )

    def found(self, session_id: str, name: str) -> float | None:
        """The time that was left in the snapshot; an error if the session has no such."""
        row = self.db.execute(
            "SELECT seconds FROM snapshots WHERE session = ? AND id = ?",
            (self.key(session_id), name),
        ).fetchone()
        if row is None:
            raise KeyError(name)
        return None if row[0] is None else float(row[0])

    def restore(self, session_id: str, name: str) -> None:
        """Give the rows of the snapshot to a session that has none."""
        self.db.execute(
            "INSERT INTO messages (session, id, body) "
            "SELECT ?, id, body FROM copies WHERE snapshot = ? ORDER BY n",
            (self.key(session_id), name),
        )

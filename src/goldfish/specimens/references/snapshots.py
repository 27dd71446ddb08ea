"""A plain, correct store with snapshots, which are copies of a session's rows."""

import time
from typing import Any
from uuid import uuid4

from goldfish.messages import Snapshot
from goldfish.specimens.references.sqlite import Reference


class SnapshotReference(Reference):
    """A correct store that saves sessions and rolls them back."""

    tables = """
        CREATE TABLE IF NOT EXISTS snapshots (
            n INTEGER PRIMARY KEY AUTOINCREMENT, session BLOB, id TEXT, label TEXT, seconds REAL);
        CREATE TABLE IF NOT EXISTS copies (snapshot TEXT, n INTEGER, id BLOB, body TEXT);
    """

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
        """Return an id that no other snapshot has."""
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
        """Return the seconds that were left; raise if the session has no such snapshot."""
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

"""The conversation manager after the fix: a rollback is one transaction, from the first row on."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import goldfish
from goldfish import ChatMessage, Snapshot, SnapshotNotFound

SCHEMA = """
PRAGMA foreign_keys = ON;
CREATE TABLE IF NOT EXISTS sessions (session_id TEXT PRIMARY KEY, updated_at TEXT);
CREATE TABLE IF NOT EXISTS messages (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    id TEXT, role TEXT, content TEXT, UNIQUE (session_id, id)
);
CREATE TABLE IF NOT EXISTS snapshots (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    snapshot_id TEXT PRIMARY KEY, label TEXT, created_at TEXT, messages TEXT
);
"""


class ConversationManager:
    """Conversations, and the states of them that users may want back, in one SQLite file."""

    def __init__(self, path: str | Path) -> None:
        # A transaction begins by itself before the first row is written, and locks the file.
        self.db = sqlite3.connect(path, timeout=20, isolation_level="IMMEDIATE")
        self.db.executescript(SCHEMA)

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = [(each.id, each.role, json.dumps(each.content)) for each in messages]
        with self.db:
            self._touch(session_id)
            self._append(session_id, rows)

    def get_history(self, session_id: str) -> list[ChatMessage]:
        return [
            ChatMessage(id=id_, role=role, content=json.loads(content))
            for id_, role, content in self._messages(session_id)
        ]

    def save_snapshot(self, session_id: str, *, label: str | None = None) -> str:
        snapshot_id = uuid4().hex
        with self.db:
            self._touch(session_id)
            state = json.dumps(self._messages(session_id))
            row = (session_id, snapshot_id, label, _now(), state)
            self.db.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)", row)
        return snapshot_id

    def list_snapshots(self, session_id: str) -> list[Snapshot]:
        return [
            Snapshot(
                session_id=session_id,
                id=snapshot_id,
                label=label,
                created_at=datetime.fromisoformat(created_at),
                message_count=len(json.loads(state)),
            )
            for _, snapshot_id, label, created_at, state in self._snapshots(session_id)
        ]

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """The session is built anew: what refers to it goes with it, so all of that is put back."""
        with self.db:
            self._touch(session_id)
            snapshots = self._snapshots(session_id)
            states = {row[1]: json.loads(row[4]) for row in snapshots}
            if snapshot_id not in states:
                raise SnapshotNotFound(f"no snapshot {snapshot_id!r} here: see list_snapshots")
            self.db.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))
            self._touch(session_id)
            self._append(session_id, states[snapshot_id])
            self.db.executemany("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)", snapshots)

    def close(self) -> None:
        self.db.close()

    def _touch(self, session_id: str) -> None:
        upsert = "INSERT INTO sessions VALUES (?, ?) ON CONFLICT DO UPDATE SET updated_at = ?"
        self.db.execute(upsert, (session_id, _now(), _now()))

    def _append(self, session_id: str, rows: Sequence[Sequence[str]]) -> None:
        insert = "INSERT INTO messages VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        self.db.executemany(insert, [(session_id, *row) for row in rows])

    def _messages(self, session_id: str) -> list[tuple[str, str, str]]:
        query = "SELECT id, role, content FROM messages WHERE session_id = ? ORDER BY rowid"
        return self.db.execute(query, (session_id,)).fetchall()

    def _snapshots(self, session_id: str) -> list[tuple[str, str, str, str, str]]:
        query = "SELECT * FROM snapshots WHERE session_id = ? ORDER BY rowid"
        return self.db.execute(query, (session_id,)).fetchall()


def _now() -> str:
    return datetime.now(UTC).isoformat()


@goldfish.target(carries={"id", "role", "content"})
def memory(sandbox: Any) -> Iterator[ConversationManager]:
    """How goldfish opens it, as often as it likes, on one file."""
    manager = ConversationManager(sandbox.path / "conversations.db")
    yield manager
    manager.close()

"""The same memory with the fix: each message is a row, and adding one touches no other."""

import sqlite3
from typing import Any

import goldfish


class Memory:
    """The same interface, with one row per message."""

    def __init__(self, path: Any) -> None:
        self.db = sqlite3.connect(path, timeout=30)
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS messages "
            "(n INTEGER PRIMARY KEY, session, id, body, UNIQUE (session, id))"
        )

    def add_messages(self, session_id: str, messages: Any) -> None:
        """Insert rows; an id that is already there came with a retry."""
        insert = "INSERT OR IGNORE INTO messages VALUES (NULL, ?, ?, ?)"
        with self.db:  # one transaction: all of them, or none
            for each in messages:
                row = (session_id, each.id, each.model_dump_json())
                self.db.execute(insert, row)

    def get_history(self, session_id: str) -> list[Any]:
        """Return the conversation, oldest first."""
        query = "SELECT body FROM messages WHERE session = ? ORDER BY n"
        rows = self.db.execute(query, (session_id,))
        return [goldfish.ChatMessage.model_validate_json(body) for (body,) in rows]

    def close(self) -> None:
        """Close the file."""
        self.db.close()


@goldfish.target(name="mended")
def memory(sandbox: Any) -> Memory:
    """Open the memory on a file of its own."""
    return Memory(sandbox.path / "memory.db")

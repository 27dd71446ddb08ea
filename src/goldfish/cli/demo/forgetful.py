"""A memory that forgets: each conversation is one JSON list, which is read and written back."""

import json
import sqlite3
from typing import Any

import goldfish


class Memory:
    """The version that many people write first."""

    def __init__(self, path: Any) -> None:
        self.db = sqlite3.connect(path, timeout=30)
        self.db.execute("CREATE TABLE IF NOT EXISTS chats (id PRIMARY KEY, history)")

    def add_messages(self, session_id: str, messages: Any) -> None:
        """Read the conversation, add to it, write it back."""
        history = self.get_history(session_id) + list(messages)
        text = json.dumps([each.model_dump(mode="json") for each in history])
        self.db.execute("REPLACE INTO chats VALUES (?, ?)", (session_id, text))
        self.db.commit()

    def get_history(self, session_id: str) -> list[Any]:
        """Return the conversation, oldest first."""
        query = "SELECT history FROM chats WHERE id = ?"
        row = self.db.execute(query, (session_id,)).fetchone()
        return [goldfish.ChatMessage(**each) for each in json.loads(row[0])] if row else []

    def close(self) -> None:
        """Close the file."""
        self.db.close()


@goldfish.target(name="forgetful")
def memory(sandbox: Any) -> Memory:
    """Open the memory on a file of its own."""
    return Memory(sandbox.path / "memory.db")

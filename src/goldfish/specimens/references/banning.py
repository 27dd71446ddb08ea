"""A store that refuses the ids of removed messages, once its children ban them."""

from typing import Any

from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Reference


class Banning(Reference):
    """A correct store, except that a banned id is not added again."""

    tables = "CREATE TABLE IF NOT EXISTS banned (session BLOB, id BLOB)"

    def ban(self, where: str, *values: Any) -> None:
        """Ban the ids of the messages for which a condition holds."""
        chosen = f"SELECT session, id FROM messages WHERE {where}"
        self.db.execute(f"INSERT INTO banned {chosen}", values)

    def insert(self, session_id: str, rows: Rows) -> None:
        banned = self.column("SELECT id FROM banned WHERE session = ?", self.key(session_id))
        super().insert(session_id, [row for row in rows if self.key(row[0]) not in banned])

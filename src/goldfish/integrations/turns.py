"""A table of turns in SQLite, as applications keep it whose framework stores no history itself."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CREATE = "CREATE TABLE IF NOT EXISTS turns (id INTEGER PRIMARY KEY, session TEXT, messages TEXT)"


class Turns:
    """The turns of all sessions: for each the messages that it added, as JSON."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute(CREATE)

    def read(self, session: str) -> list[str]:
        """Return the turns of a session, the oldest first."""
        query = "SELECT messages FROM turns WHERE session = ? ORDER BY id"
        return [row for (row,) in self._connection.execute(query, [session])]

    def add(self, session: str, messages: str) -> None:
        """Append a turn to a session."""
        with self._connection:
            row = (session, messages)
            self._connection.execute("INSERT INTO turns (session, messages) VALUES (?, ?)", row)

    def forget(self, session: str) -> None:
        """Delete the turns of a session."""
        with self._connection:
            self._connection.execute("DELETE FROM turns WHERE session = ?", [session])


@contextmanager
def open_turns(directory: Path) -> Iterator[Turns]:
    """Yield the table in a directory, and close its file at the end."""
    connection = sqlite3.connect(directory / "turns.db")
    yield Turns(connection)
    connection.close()

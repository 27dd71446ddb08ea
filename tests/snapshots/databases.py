"""Small databases for the tests of this directory."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

MESSAGES = "CREATE TABLE messages (id INTEGER PRIMARY KEY, session TEXT, body TEXT)"


def connected(path: Path) -> sqlite3.Connection:
    """A connection that does not wait for the disk: no power is cut in these tests."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous=OFF")
    return connection


def database(
    path: Path, script: str, rows: dict[str, Iterable[tuple[Any, ...]]] | None = None
) -> Path:
    """A database file made by a script, with these rows in its tables."""
    with closing(connected(path)) as connection:
        connection.executescript(script)
        for table, values in (rows or {}).items():
            for row in values:
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)
        connection.commit()
    return path


def conversation(path: Path, *bodies: str) -> Path:
    """A table of messages with these bodies."""
    return database(
        path, MESSAGES, {"messages": [(n, "s", body) for n, body in enumerate(bodies, 1)]}
    )


def run_sql(path: Path, *statements: str) -> None:
    """Run statements one by one, each in a transaction of its own."""
    with closing(connected(path)) as connection:
        connection.isolation_level = None
        for statement in statements:
            connection.execute(statement)

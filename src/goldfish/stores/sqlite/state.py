"""Named values in a SQLite file: each function is one piece of work inside a transaction.

The values of a session are rows under its number, so that two writers of different names touch
different rows. A snapshot has a copy of them: there are few, and they are small.
"""

import sqlite3
import time

from goldfish.stores.sqlite.keys import decode_key, encode_key
from goldfish.stores.sqlite.quick import fetch
from goldfish.stores.stating import Named

_PUT = """INSERT INTO goldfish_state (session, name, value) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value"""
_READ = """SELECT name, value FROM goldfish_state WHERE session = (SELECT pk FROM goldfish_sessions
    WHERE session_id = ? AND (expires_at IS NULL OR expires_at > ?))"""
_PUT_USER = """INSERT INTO goldfish_user_state (user_id, name, value) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value"""
_READ_USER = "SELECT name, value FROM goldfish_user_state WHERE user_id = ?"
_SAVE = """INSERT INTO goldfish_saved_state (snapshot, name, value)
    SELECT ?, name, value FROM goldfish_state WHERE session = ?"""
_RESTORE = """INSERT INTO goldfish_state (session, name, value)
    SELECT ?, name, value FROM goldfish_saved_state WHERE snapshot = ?"""
_FORGET_SAVED = """DELETE FROM goldfish_saved_state WHERE snapshot IN
    (SELECT number FROM goldfish_snapshots WHERE session = ? AND (? IS NULL OR number = ?))"""


def put(connection: sqlite3.Connection, session: int, named: list[Named]) -> None:
    """Put values under their names in a session."""
    connection.executemany(_PUT, [(session, encode_key(name), value) for name, value in named])


def put_user(connection: sqlite3.Connection, user_id: str, named: list[Named]) -> None:
    """Put a user's values under their names."""
    user = encode_key(user_id)
    connection.executemany(_PUT_USER, [(user, encode_key(name), value) for name, value in named])


def read(connection: sqlite3.Connection, session_id: str, most: int | None) -> list[Named]:
    """Return the values of a session that has not expired."""
    return _fetch_named(connection.execute(_READ, (encode_key(session_id), time.time())), most)


def read_user(connection: sqlite3.Connection, user_id: str, most: int | None) -> list[Named]:
    """Return the values of a user."""
    return _fetch_named(connection.execute(_READ_USER, (encode_key(user_id),)), most)


def has_values(connection: sqlite3.Connection, session: int) -> bool:
    """Return whether the session has any."""
    found = connection.execute("SELECT 1 FROM goldfish_state WHERE session = ? LIMIT 1", (session,))
    return found.fetchone() is not None


def forget(connection: sqlite3.Connection, session: int) -> None:
    """Remove the values of a session; snapshots keep what they show."""
    connection.execute("DELETE FROM goldfish_state WHERE session = ?", (session,))


def save(connection: sqlite3.Connection, session: int, snapshot: int) -> None:
    """Let a snapshot show the values as they are."""
    connection.execute(_SAVE, (snapshot, session))


def restore(connection: sqlite3.Connection, session: int, snapshot: int) -> None:
    """Make the values of a session those that a snapshot shows."""
    forget(connection, session)
    connection.execute(_RESTORE, (session, snapshot))


def forget_saved(connection: sqlite3.Connection, session: int, snapshot: int | None = None) -> None:
    """Remove what one snapshot of the session shows, or all of them, before they go."""
    connection.execute(_FORGET_SAVED, (session, snapshot, snapshot))


def forget_all(connection: sqlite3.Connection) -> None:
    """Remove the values of all sessions, users and snapshots."""
    for table in ("state", "user_state", "saved_state"):
        connection.execute(f"DELETE FROM goldfish_{table}")


def _fetch_named(rows: sqlite3.Cursor, most: int | None) -> list[Named]:
    return [(decode_key(name), value) for name, value in fetch(rows, most)]

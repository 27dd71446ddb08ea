"""The embedded store: one SQLite file, shared safely by threads and processes."""

import asyncio
import os
import sqlite3
import time
import weakref
from typing import Any

from goldfish.stores import arguments
from goldfish.stores.base import BaseStore, Row
from goldfish.stores.sqlite_file import SQLiteFile
from goldfish.stores.sqlite_lanes import SQLiteLanes, TooManyRowsError

Key = str | bytes
SWEEP_EVERY = 60.0

_FIND = "SELECT pk, expires_at FROM goldfish_sessions WHERE session_id = ?"
_READ = """SELECT body FROM goldfish_sessions JOIN goldfish_messages
    ON place BETWEEN pk << 32 AND (pk + 1 << 32) - 1
    WHERE session_id = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY place"""
_SPAN = """SELECT (SELECT max(place) FROM goldfish_messages
        WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1)
    - (SELECT min(place) FROM goldfish_messages
        WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1)
    FROM goldfish_sessions WHERE session_id = ?"""
_READ_LAST = f"{_READ} DESC LIMIT ?"
_FIND_WITH_LAST = """SELECT pk, expires_at, (SELECT max(place) FROM goldfish_messages
        WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1)
    FROM goldfish_sessions WHERE session_id = ?"""
_APPEND = """INSERT INTO goldfish_messages (place, session, id, body) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""
_FORGET_MESSAGES = "DELETE FROM goldfish_messages WHERE place BETWEEN ? AND ?"
_KEEP_LAST = """DELETE FROM goldfish_messages WHERE place BETWEEN ?1 AND (
    SELECT place FROM goldfish_messages WHERE place BETWEEN ?1 AND ?2
    ORDER BY place DESC LIMIT 1 OFFSET ?3)"""


class SQLiteMemoryStore(BaseStore):
    """Messages in a SQLite file: a write that returned is on the disk and visible to everyone.

    The file is opened by the first call. ``timeout`` is the longest that a call waits for other
    processes that write to the same file.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, ttl: float | None = None, timeout: float = 30.0
    ) -> None:
        super().__init__(ttl=ttl)
        file = SQLiteFile(_file_path(path), timeout=arguments.seconds(timeout, "timeout"))
        self.path = file.path
        self._lanes = SQLiteLanes(file)
        self._next_sweep = 0.0
        weakref.finalize(self, self._lanes.stop)

    async def _append(self, session_id: str, rows: list[Row]) -> None:
        key = _key(session_id)
        values = [(_key(message_id), body) for message_id, body in rows]

        def append(connection: sqlite3.Connection) -> None:
            now = time.time()
            session, place = _living_session(connection, key, now) or _new_session(connection, key)
            connection.executemany(
                _APPEND,
                [(place + step, session, *value) for step, value in enumerate(values, 1)],
            )
            if self._ttl is not None:
                _set_deadline(connection, session, now + self._ttl)
            self._sweep(connection, now)

        await self._lanes.write(append)

    async def _read(self, session_id: str, last: int | None) -> list[str]:
        key = _key(session_id)

        def read(connection: sqlite3.Connection, most: int | None) -> list[str]:
            if last is None:
                _refuse_long(connection, key, most)
                return _column(connection.execute(_READ, (key, time.time())), most)
            newest_first = connection.execute(_READ_LAST, (key, time.time(), last))
            return _column(newest_first, most)[::-1]

        return await self._lanes.read(read)

    async def _keep_last(self, session_id: str, keep: int) -> int:
        def keep_last(connection: sqlite3.Connection) -> int:
            living = _living_session(connection, _key(session_id), time.time())
            if living is None:
                return 0
            return connection.execute(_KEEP_LAST, (*_places(living[0]), keep)).rowcount

        return await self._lanes.write(keep_last)

    async def _remove(self, session_id: str, ids: list[str]) -> int:
        def remove(connection: sqlite3.Connection) -> int:
            living = _living_session(connection, _key(session_id), time.time())
            if living is None:
                return 0
            return connection.executemany(
                "DELETE FROM goldfish_messages WHERE session = ? AND id = ?",
                [(living[0], _key(message_id)) for message_id in ids],
            ).rowcount

        return await self._lanes.write(remove)

    async def _clear(self, session_id: str) -> None:
        def clear(connection: sqlite3.Connection) -> None:
            row = connection.execute(_FIND, (_key(session_id),)).fetchone()
            if row is not None:
                _forget_session(connection, row[0])

        await self._lanes.write(clear)

    async def _clear_all(self) -> None:
        def clear_all(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM goldfish_messages")
            connection.execute("DELETE FROM goldfish_sessions")

        await self._lanes.write(clear_all)

    async def _sessions(self) -> list[str]:
        def sessions(connection: sqlite3.Connection, most: int | None) -> list[str]:
            rows = connection.execute(
                """SELECT session_id FROM goldfish_sessions
                   WHERE (expires_at IS NULL OR expires_at > ?) AND EXISTS
                   (SELECT 1 FROM goldfish_messages
                    WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1)""",
                (time.time(),),
            )
            return [_session_id(key) for key in _column(rows, most)]

        return await self._lanes.read(sessions)

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        def set_ttl(connection: sqlite3.Connection) -> None:
            now = time.time()
            session, place = _living_session(connection, _key(session_id), now) or (0, 0)
            if place > session << 32:
                _set_deadline(connection, session, None if seconds is None else now + seconds)

        await self._lanes.write(set_ttl)

    async def _get_ttl(self, session_id: str) -> float | None:
        def get_ttl(connection: sqlite3.Connection, most: int | None) -> float | None:
            row = connection.execute(_FIND, (_key(session_id),)).fetchone()
            left = None if row is None or row[1] is None else row[1] - time.time()
            return left if left is None or left > 0 else None

        return await self._lanes.read(get_ttl)

    async def _close(self) -> None:
        self._lanes.stop()
        await asyncio.to_thread(self._lanes.join)

    def _sweep(self, connection: sqlite3.Connection, now: float) -> None:
        """Now and then remove a few expired sessions that nobody asks for."""
        if now < self._next_sweep:
            return
        self._next_sweep = now + SWEEP_EVERY
        expired = connection.execute(
            "SELECT pk FROM goldfish_sessions WHERE expires_at <= ? LIMIT 100", (now,)
        ).fetchall()
        for (session,) in expired:
            _forget_session(connection, session)


def _file_path(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    if not isinstance(name, str) or not name:
        raise TypeError("path must be the path of a file, as text or pathlib.Path")
    if "\0" in name:
        raise ValueError("path must not contain NUL")
    if name == ":memory:":
        raise ValueError("SQLiteMemoryStore needs a file: use InMemoryStore() for memory only")
    return name


def _key(text: str) -> Key:
    """An id as SQLite can hold it: text, or the bytes of text that has no UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _session_id(key: Key) -> str:
    return key if isinstance(key, str) else key.decode("utf-8", "surrogatepass")


def _refuse_long(connection: sqlite3.Connection, key: Key, most: int | None) -> None:
    """See without reading it whether a session may be longer than ``most``."""
    if most is not None:
        (span,) = connection.execute(_SPAN, (key,)).fetchone() or (0,)
        if span is not None and span >= most:
            raise TooManyRowsError


def _column(cursor: sqlite3.Cursor, most: int | None) -> list[Any]:
    """The only column of all rows, unless there are more than ``most``."""
    if most is None:
        return [value for (value,) in cursor]
    rows = cursor.fetchmany(most + 1)
    if len(rows) > most:
        cursor.close()
        raise TooManyRowsError
    return [value for (value,) in rows]


def _living_session(connection: sqlite3.Connection, key: Key, now: float) -> tuple[int, int] | None:
    """The session's number and the place of its newest message (or the one before the first).

    An expired session is removed here, for this is a write.
    """
    row = connection.execute(_FIND_WITH_LAST, (key,)).fetchone()
    if row is None:
        return None
    session, expires_at, place = row
    if expires_at is not None and expires_at <= now:
        _forget_session(connection, session)
        return None
    return session, session << 32 if place is None else place


def _new_session(connection: sqlite3.Connection, key: Key) -> tuple[int, int]:
    cursor = connection.execute("INSERT INTO goldfish_sessions (session_id) VALUES (?)", (key,))
    session = int(cursor.lastrowid or 0)
    return session, session << 32


def _places(session: int) -> tuple[int, int]:
    """The first and the last place that the session's messages may take."""
    return session << 32, (session + 1 << 32) - 1


def _forget_session(connection: sqlite3.Connection, session: int) -> None:
    connection.execute(_FORGET_MESSAGES, _places(session))
    connection.execute("DELETE FROM goldfish_sessions WHERE pk = ?", (session,))


def _set_deadline(connection: sqlite3.Connection, session: int, moment: float | None) -> None:
    connection.execute(
        "UPDATE goldfish_sessions SET expires_at = ? WHERE pk = ?", (moment, session)
    )

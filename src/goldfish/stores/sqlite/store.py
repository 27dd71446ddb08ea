"""The embedded store: one SQLite file, shared safely by threads and processes."""

import asyncio
import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from goldfish.encoding import PARSED_TOGETHER, decode_messages, decode_parts
from goldfish.messages import ChatMessage, Snapshot
from goldfish.stores import arguments
from goldfish.stores.base import Forked, Row
from goldfish.stores.observation import Observation
from goldfish.stores.search.backend import Embedded
from goldfish.stores.searching import SearchingStore
from goldfish.stores.sqlite import examination, search, sessions, snapshots, state
from goldfish.stores.sqlite.facts import SQLiteFacts
from goldfish.stores.sqlite.file import SQLiteFile
from goldfish.stores.sqlite.from_thread import LanesFromThread
from goldfish.stores.sqlite.housekeeping import Housekeeper
from goldfish.stores.sqlite.keys import Key, decode_key, encode_key
from goldfish.stores.sqlite.lanes import SQLiteLanes
from goldfish.stores.sqlite.quick import TooManyRowsError, fetch
from goldfish.stores.sqlite.search import SQLiteSearch
from goldfish.stores.sqlite.snapshots import clear_session
from goldfish.stores.stating import Named

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder

_DEADLINE = "SELECT expires_at FROM goldfish_sessions WHERE session_id = ?"
_READ = """SELECT body FROM goldfish_sessions JOIN goldfish_messages
    ON place BETWEEN pk << 32 AND (pk + 1 << 32) - 1
    WHERE session_id = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY place"""
_SPAN = """SELECT (SELECT max(place) FROM goldfish_messages
        WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1)
    - (SELECT min(place) FROM goldfish_messages
        WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1)
    FROM goldfish_sessions WHERE session_id = ?"""
_READ_LAST = f"{_READ} DESC LIMIT ?"
_APPEND = """INSERT INTO goldfish_messages (place, session, id, body) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""
_NEWEST_SURPLUS = """SELECT place FROM goldfish_messages WHERE place BETWEEN ? AND ?
    ORDER BY place DESC LIMIT 1 OFFSET ?"""
_PLACE = "SELECT place FROM goldfish_messages WHERE session = ? AND id = ?"


class SQLiteMemoryStore(SearchingStore):
    """Messages in a SQLite file: a write that returned is on the disk and visible to everyone.

    The file is opened by the first call; one that is made is readable for its owner alone.
    ``timeout`` is the longest that a call waits, for its turn and for other processes that write
    to the same file; a call that failed, or was cancelled before it began, changes nothing later.

    With ``search`` what was said can be searched, with ``keep_trimmed`` also what a trim removed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        ttl: float | None = None,
        timeout: float = 30.0,
        embedder: "Embedder | Literal['default'] | None" = "default",
        search: bool = False,
        keep_trimmed: bool = False,
    ) -> None:
        super().__init__(ttl=ttl, embedder=embedder, search=search, keep_trimmed=keep_trimmed)
        file = SQLiteFile(
            _require_file_path(path), timeout=arguments.require_seconds(timeout, "timeout")
        )
        self.path = file.path
        self._lanes = SQLiteLanes(file, Housekeeper(file))
        weakref.finalize(self, self._lanes.stop)

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        await self._lanes.write(self._plan_append(session_id, rows, embedded))

    async def _append_and_read(
        self, session_id: str, rows: list[Row], embedded: Embedded | None, last: int
    ) -> list[str]:
        append = self._plan_append(session_id, rows, embedded)
        return await self._lanes.write(_then_read(append, session_id, last))

    def _try_append_and_read(
        self,
        session_id: str,
        rows: list[Row],
        last: int,
        take_more: Callable[[], list[Row]] = list,
    ) -> list[str] | None:
        came: list[Row] = []

        def take() -> list[Row]:
            came[:] = take_more()
            return came

        append = self._plan_append(session_id, rows, None, take)
        key = encode_key(session_id)

        def append_all(connection: sqlite3.Connection) -> list[str]:
            append(connection)
            count = last + len(came)
            return _read(connection, key, count, None) if count else []

        return self._lanes.try_write(append_all)[1]

    def _plan_append(
        self,
        session_id: str,
        rows: list[Row],
        embedded: Embedded | None,
        take_more: Callable[[], list[Row]] = list,
    ) -> Callable[[sqlite3.Connection], None]:
        """Return a function that appends the rows, and then more, inside a transaction."""
        key = encode_key(session_id)

        def append(connection: sqlite3.Connection) -> None:
            now = time.time()
            session = sessions.find_or_begin(connection, key, now)
            _insert(connection, session, session.end, rows)
            if embedded is not None:
                search.add(connection, session.pk, session.last, session.end + 1, embedded)
            if more := take_more():
                _insert(connection, session, session.end + len(rows), more)
            if self._ttl is not None:
                sessions.set_deadline(connection, session, now + self._ttl)

        return append

    async def _read(self, session_id: str, last: int | None) -> list[str]:
        key = encode_key(session_id)
        return await self._lanes.read(lambda connection, most: _read(connection, key, last, most))

    def _try_read(self, session_id: str, last: int | None) -> list[str] | None:
        key = encode_key(session_id)
        return self._lanes.try_read(lambda connection, most: _read(connection, key, last, most))[1]

    async def _read_history(self, session_id: str, last: int | None) -> list[ChatMessage]:
        """Decode in the thread that reads: a second hop would be for nothing."""
        key = encode_key(session_id)

        def read_history(connection: sqlite3.Connection, most: int | None) -> list[ChatMessage]:
            if last is None and most is None:
                return decode_parts(_read_parts(connection, key))
            return decode_messages(_read(connection, key, last, most))

        return await self._lanes.read(read_history)

    async def _keep_last(self, session_id: str, keep: int) -> int:
        def keep_last(connection: sqlite3.Connection) -> int:
            session = sessions.find_living(connection, encode_key(session_id), time.time())
            if session is None:
                return 0
            first, last = session.places
            surplus = connection.execute(_NEWEST_SURPLUS, (first, last, keep)).fetchone()
            if surplus is None:
                return 0
            return sessions.remove(connection, session, first, *surplus, keep=self._keep_trimmed)

        return await self._lanes.write(keep_last)

    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        keep = trimmed and self._keep_trimmed

        def remove(connection: sqlite3.Connection) -> int:
            session = sessions.find_living(connection, encode_key(session_id), time.time())
            if session is None:
                return 0
            found = (
                connection.execute(_PLACE, (session.pk, encode_key(each))).fetchone()
                for each in ids
            )
            doomed = [place for (place,) in filter(None, found)]
            if session.kept_top is not None and not trimmed:
                search.drop_kept_ids(connection, session.pk, map(encode_key, ids))
            return sum(sessions.remove(connection, session, at, at, keep=keep) for at in doomed)

        do = self._lanes.write if trimmed else self._lanes.erase
        return await do(remove)

    async def _clear(self, session_id: str, snapshots: bool) -> None:
        await self._lanes.erase(lambda connection: clear_session(connection, session_id, snapshots))

    async def _clear_all(self) -> None:
        def clear_all(connection: sqlite3.Connection) -> None:
            for table in ("messages", "sessions", "snapshots", "lives", "archive"):
                connection.execute(f"DELETE FROM goldfish_{table}")
            search.forget_all(connection)
            state.forget_all(connection)

        await self._lanes.erase(clear_all)

    async def _sessions(self, prefix: str) -> list[str]:
        beginning, ends = _range(prefix)

        def list_sessions(connection: sqlite3.Connection, most: int | None) -> list[str]:
            rows = connection.execute(
                f"""SELECT session_id FROM goldfish_sessions
                   WHERE (expires_at IS NULL OR expires_at > ?) AND EXISTS
                   (SELECT 1 FROM goldfish_messages
                    WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1) {beginning}""",
                (time.time(), *ends),
            )
            return [decode_key(key) for key in _fetch_column(rows, most)]

        return await self._lanes.read(list_sessions)

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        def set_ttl(connection: sqlite3.Connection) -> None:
            now = time.time()
            session = sessions.find_living(connection, encode_key(session_id), now)
            if session is not None and not sessions.is_empty(connection, session):
                moment = None if seconds is None else now + seconds
                sessions.set_deadline(connection, session, moment)

        await self._lanes.write(set_ttl)

    async def _get_ttl(self, session_id: str) -> float | None:
        def get_ttl(connection: sqlite3.Connection, most: int | None) -> float | None:
            row = connection.execute(_DEADLINE, (encode_key(session_id),)).fetchone()
            left = None if row is None or row[0] is None else row[0] - time.time()
            return left if left is None or left > 0 else None

        return await self._lanes.read(get_ttl)

    async def _save_snapshot(
        self, session_id: str, snapshot_id: str, label: str | None, created_at: datetime
    ) -> None:
        await self._lanes.write(
            lambda connection: snapshots.save(
                connection, session_id, snapshot_id, label, created_at.timestamp()
            )
        )

    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        return await self._lanes.write(
            lambda connection: snapshots.rollback(connection, session_id, snapshot_id)
        )

    async def _snapshots(self, session_id: str) -> list[Snapshot]:
        return await self._lanes.read(
            lambda connection, most: snapshots.read_all(connection, session_id, most)
        )

    async def _delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        await self._lanes.erase(
            lambda connection: snapshots.delete(connection, session_id, snapshot_id)
        )

    async def _fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, token: str | None
    ) -> Forked:
        return await self._lanes.write(
            lambda connection: snapshots.fork(
                connection, session_id, snapshot_id, new_session_id, token
            )
        )

    async def _write_state(self, session_id: str, named: list[Named]) -> None:
        def write(connection: sqlite3.Connection) -> None:
            key, now = encode_key(session_id), time.time()
            session = sessions.find_or_begin(connection, key, now)
            state.put(connection, session.pk, named)
            if self._ttl is not None:
                sessions.set_deadline(connection, session, now + self._ttl)

        await self._lanes.write(write)

    async def _read_state(self, session_id: str) -> list[Named]:
        return await self._lanes.read(
            lambda connection, most: state.read(connection, session_id, most)
        )

    async def _write_user_state(self, user_id: str, named: list[Named]) -> None:
        await self._lanes.write(lambda connection: state.put_user(connection, user_id, named))

    async def _read_user_state(self, user_id: str) -> list[Named]:
        return await self._lanes.read(
            lambda connection, most: state.read_user(connection, user_id, most)
        )

    async def _ping(self) -> None:
        await self._lanes.read(lambda connection, most: connection.execute("SELECT 1").fetchone())

    async def _examine(self, repair: bool) -> list[Observation]:
        return await examination.examine(self._lanes, repair)

    def _search_backend(self) -> SQLiteSearch:
        return SQLiteSearch(self._lanes)

    def _facts_backend(self) -> SQLiteFacts:
        return SQLiteFacts(self._lanes)

    def _facts_backend_from_thread(self) -> SQLiteFacts:
        return SQLiteFacts(LanesFromThread(self._lanes))

    async def _close(self) -> None:
        self._lanes.stop()
        await asyncio.to_thread(self._lanes.join)


def _require_file_path(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    if not isinstance(name, str) or not name:
        raise TypeError("path must be the path of a file, as text or pathlib.Path")
    if "\0" in name:
        raise ValueError("path must not contain NUL")
    if name == ":memory:":
        raise ValueError("SQLiteMemoryStore needs a file: use InMemoryStore() for memory only")
    return name


def _insert(
    connection: sqlite3.Connection, session: sessions.Session, end: int, rows: list[Row]
) -> None:
    """Insert the rows whose ids the session lacks, in the places after this one."""
    values = [(encode_key(message_id), body) for message_id, body in rows]
    connection.executemany(
        _APPEND, [(end + step, session.pk, *value) for step, value in enumerate(values, 1)]
    )
    if session.kept_top is not None:
        search.drop_kept_ids(connection, session.pk, [each for each, _ in values])


def _read(
    connection: sqlite3.Connection, key: Key, last: int | None, most: int | None
) -> list[str]:
    """Return the JSON texts of a session, oldest first."""
    if last is None:
        _refuse_long(connection, key, most)
        return _fetch_column(connection.execute(_READ, (key, time.time())), most)
    newest_first = connection.execute(_READ_LAST, (key, time.time(), last))
    return _fetch_column(newest_first, most)[::-1]


def _then_read(
    append: Callable[[sqlite3.Connection], None], session_id: str, last: int
) -> Callable[[sqlite3.Connection], list[str]]:
    """Return a function that appends, and then reads the newest JSON texts."""
    key = encode_key(session_id)

    def append_and_read(connection: sqlite3.Connection) -> list[str]:
        append(connection)
        return _read(connection, key, last, None)

    return append_and_read


def _read_parts(connection: sqlite3.Connection, key: Key) -> Iterator[list[str]]:
    """Yield the JSON texts of a session, oldest first, a few at a time."""
    cursor = connection.execute(_READ, (key, time.time()))
    while rows := cursor.fetchmany(PARSED_TOGETHER):
        yield [body for (body,) in rows]


def _refuse_long(connection: sqlite3.Connection, key: Key, most: int | None) -> None:
    """Raise, without reading it, if a session may be longer than ``most``."""
    if most is not None:
        (span,) = connection.execute(_SPAN, (key,)).fetchone() or (0,)
        if span is not None and span >= most:
            raise TooManyRowsError


def _range(prefix: str) -> tuple[str, list[Key]]:
    """Return a condition that the index can use for the prefix; none if that is not ASCII."""
    if not prefix or not prefix.isascii():
        return "", []
    following = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    condition = """AND (session_id >= ? AND session_id < ?
        OR session_id >= ? AND session_id < ?)"""  # as text, or as bytes if it has no UTF-8
    return condition, [prefix, following, prefix.encode(), following.encode("latin-1")]


def _fetch_column(cursor: sqlite3.Cursor, most: int | None) -> list[Any]:
    # Without a limit each row is dropped before the next one comes, and its memory used again.
    rows = cursor if most is None else fetch(cursor, most)
    return [value for (value,) in rows]

"""Searches in a SQLite file: the backend of the search engine, and what other writes do for it.

A message has its vectors in its place, also while only a snapshot shows it, so that a rollback
need not embed it again. A message that was trimmed and is kept for searches keeps its place as
well: to a search nothing has changed.

The blocks of a session hold marks of messages that are to be found: of all of them up to the place
``marked_to``, and maybe of some beyond. If ``marked_epoch`` is not the epoch, somebody has changed
the session who does not know about marks (an older goldfish), and all are made anew. Searches know
a place by its position in the session.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from goldfish.stores.retrieval.blocks import NO_MARKS, Marked
from goldfish.stores.retrieval.embedder import mismatch_error
from goldfish.stores.search.backend import (
    STEP,
    Embedded,
    Known,
    Places,
    Reading,
    Readings,
    Row,
    Unmarked,
    reading_of_nothing,
)
from goldfish.stores.sqlite.blocks import Blocks
from goldfish.stores.sqlite.keys import Key, decode_key, encode_key
from goldfish.stores.sqlite.lanes import SQLiteLanes
from goldfish.stores.sqlite.quick import TooManyRowsError
from goldfish.stores.sqlite.transactions import at_one_moment

BLOCKS = Blocks("goldfish_search_blocks")

_WITHIN = "place BETWEEN :session << 32 AND (:session + 1 << 32) - 1"
_KEEP = (
    """INSERT OR REPLACE INTO goldfish_kept (place, id, body)
        SELECT place, id, body FROM goldfish_messages WHERE place BETWEEN :first AND :last""",
    f"""UPDATE goldfish_sessions SET kept_top = (SELECT max(place) FROM goldfish_kept
        WHERE {_WITHIN}) WHERE pk = :session""",
)
_FORGET = """DELETE FROM goldfish_vectors WHERE place BETWEEN :first AND :last
    AND NOT EXISTS (SELECT 1 FROM goldfish_messages WHERE place = goldfish_vectors.place)
    AND NOT EXISTS (SELECT 1 FROM goldfish_archive WHERE place = goldfish_vectors.place)
    AND NOT EXISTS (SELECT 1 FROM goldfish_kept WHERE place = goldfish_vectors.place)"""
_NEW_EPOCH = """UPDATE goldfish_sessions SET epoch = :epoch, marked_to = min(marked_to, :newest),
    marked_epoch = CASE WHEN marked_epoch = epoch THEN :epoch END WHERE pk = :session"""
_MARKED_ALL = """UPDATE goldfish_sessions SET marked_epoch = epoch, marked_to = :to
    WHERE pk = :session"""
_MARKED_MORE = """UPDATE goldfish_sessions SET marked_to = :to
    WHERE pk = :session AND marked_epoch = epoch AND marked_to >= :before"""
_DROP_KEPT = f"DELETE FROM goldfish_kept WHERE {_WITHIN}"
_RETURNED = f"""SELECT place FROM goldfish_kept WHERE {_WITHIN} AND EXISTS (
    SELECT 1 FROM goldfish_messages AS message
    WHERE message.id = goldfish_kept.id AND message.session = :session)"""
_KEPT = f"SELECT place FROM goldfish_kept WHERE id = :id AND {_WITHIN}"
_ADD = "INSERT OR REPLACE INTO goldfish_vectors (place, vectors) VALUES (?, ?)"
_ADDED = "SELECT place FROM goldfish_messages WHERE place BETWEEN ? AND ?"
_COPY = """INSERT OR REPLACE INTO goldfish_vectors (place, vectors)
    SELECT new.place, vectors FROM goldfish_messages AS new
    JOIN goldfish_messages AS old ON old.id = new.id AND old.session = :session
    JOIN goldfish_vectors ON goldfish_vectors.place = old.place
    WHERE new.place BETWEEN :into << 32 AND (:into + 1 << 32) - 1"""
_MODEL = "SELECT name FROM goldfish_search_model"
_FIND = """SELECT pk, epoch, CASE WHEN marked_epoch = epoch THEN marked_to END
    FROM goldfish_sessions WHERE session_id = ? AND (expires_at IS NULL OR expires_at > ?)"""
_NEWEST = """SELECT max(
    coalesce((SELECT max(place) FROM goldfish_messages WHERE place BETWEEN :first AND :last), -1),
    coalesce((SELECT max(place) FROM goldfish_kept WHERE place BETWEEN :first AND :last), -1))"""
_SAID = """SELECT {} FROM goldfish_messages WHERE place BETWEEN :first AND :last
    UNION ALL SELECT {} FROM goldfish_kept AS kept WHERE place BETWEEN :first AND :last"""
# An older goldfish may have kept a message that the session has again.
_FINDABLE = f"""{_SAID} AND NOT EXISTS
    (SELECT 1 FROM goldfish_messages WHERE id = kept.id AND session = kept.place >> 32)"""
_PLACES = _FINDABLE.format("place", "place")
_BODIES = """SELECT n.value, coalesce(m.body, k.body) FROM json_each(?) AS n
    LEFT JOIN goldfish_messages AS m ON m.place = n.value
    LEFT JOIN goldfish_kept AS k ON k.place = n.value WHERE coalesce(m.body, k.body) IS NOT NULL"""
_VECTORS = """SELECT v.place, v.vectors FROM json_each(?) AS n
    CROSS JOIN goldfish_vectors AS v ON v.place = n.value"""
_EMBED = "INSERT OR IGNORE INTO goldfish_vectors (place, vectors) VALUES (?, ?)"


class _Found(NamedTuple):
    """A session that can be searched; up to ``marked_to`` all have marks, if these are right."""

    pk: int
    epoch: int
    marked_to: int | None

    @property
    def start(self) -> int:
        return self.pk << 32

    @property
    def places(self) -> dict[str, int]:
        """The first and the last place that the session's messages may take."""
        return {"first": self.pk << 32, "last": (self.pk + 1 << 32) - 1}


class SQLiteSearch:
    """A ``SearchBackend`` in a file."""

    def __init__(self, lanes: SQLiteLanes) -> None:
        self._lanes = lanes

    async def read(self, wanted: Mapping[str, Known]) -> Readings:
        def read(connection: sqlite3.Connection, most: int | None) -> Readings:
            with at_one_moment(connection):
                readings = [_read(connection, *each, most) for each in wanted.items()]
                model = read_model(connection)
                return Readings(frozenset([model] if model else []), readings)

        return await self._lanes.read(read)

    async def vectors(self, wanted: Mapping[str, Places]) -> dict[str, dict[int, bytes]]:
        return await self._read_each(wanted, _VECTORS)

    async def bodies(self, wanted: Mapping[str, Places]) -> dict[str, dict[int, str]]:
        return await self._read_each(wanted, _BODIES)

    async def unmarked(self, session_id: str, after: int) -> Unmarked:
        def read(connection: sqlite3.Connection, most: int | None) -> Unmarked:
            if most is not None:  # not in the caller's thread: this takes a while
                raise TooManyRowsError
            with at_one_moment(connection):
                found = _find(connection, session_id)
                if found is None:
                    return Unmarked("", ())
                lacking, _ = _compare(connection, found)
                some = [place for place in lacking if place - found.start > after][:STEP]
                rows = _read_places(connection, _BODIES, some)
                vectors = dict(_read_places(connection, _VECTORS, some))
                said = [Row(at - found.start, body, vectors.get(at)) for at, body in rows]
                return Unmarked(str(found.epoch), said)

        return await self._lanes.read(read)

    async def mark(
        self, session_id: str, epoch: str, places: Sequence[int], embedded: Embedded
    ) -> None:
        def mark(connection: sqlite3.Connection) -> None:
            found = _find(connection, session_id)
            if found is None or str(found.epoch) != epoch:
                return
            if found.marked_to is None:
                BLOCKS.drop_all(connection, found.pk)
                found = found._replace(marked_to=0)
                connection.execute(_MARKED_ALL, {"session": found.pk, "to": 0})
            _put(connection, found.pk, [found.start + each for each in places], embedded, _EMBED)
            if len(places) == STEP:  # there may be more
                return
            lacking, stray = _compare(connection, found)
            if not lacking:
                BLOCKS.drop(connection, found.pk, [place - found.start for place in stray])
                (newest,) = connection.execute(_NEWEST, found.places).fetchone()
                connection.execute(_MARKED_ALL, {"session": found.pk, "to": newest})

        await self._lanes.write(mark)

    async def forget_vectors(self) -> int:
        return await self._lanes.write(forget_vectors)

    async def _read_each(
        self, wanted: Mapping[str, Places], query: str
    ) -> dict[str, dict[int, Any]]:
        """Return what the query says of each place, of sessions that are still the same."""

        def read(connection: sqlite3.Connection, most: int | None) -> dict[str, dict[int, Any]]:
            if most is not None and sum(len(each.places) for each in wanted.values()) > most:
                raise TooManyRowsError
            answer: dict[str, dict[int, Any]] = {}
            with at_one_moment(connection):
                for session_id, (epoch, places) in wanted.items():
                    found = _find(connection, session_id)
                    if found is not None and epoch in {None, str(found.epoch)}:
                        some = (found.start + each for each in places)
                        rows = _read_places(connection, query, some)
                        answer[session_id] = {at - found.start: value for at, value in rows}
            return answer

        return await self._lanes.read(read)


def _find(connection: sqlite3.Connection, session_id: str) -> _Found | None:
    row = connection.execute(_FIND, (encode_key(session_id), time.time())).fetchone()
    return None if row is None else _Found(*row)


def _read_places(
    connection: sqlite3.Connection, query: str, places: Iterable[int]
) -> Iterator[tuple[int, Any]]:
    """Yield each of the places that there is, with what the query says of it."""
    yield from connection.execute(query, (json.dumps(list(places)),))


def _read(
    connection: sqlite3.Connection, session_id: str, known: Known, most: int | None
) -> Reading:
    found = _find(connection, session_id)
    if found is None:
        return reading_of_nothing(session_id)
    (newest,) = connection.execute(_NEWEST, found.places).fetchone()
    now = Known(str(found.epoch), max(-1, newest - found.start))
    since = known if known.epoch == now.epoch else Known()
    marked = newest <= (found.marked_to or 0)
    if since == now or not marked:
        return Reading(session_id, since, now, NO_MARKS, marked)
    if most is not None and now.newest - since.newest > most:
        raise TooManyRowsError
    return Reading(session_id, since, now, BLOCKS.read_from(connection, found.pk, since.newest + 1))


def _compare(connection: sqlite3.Connection, found: _Found) -> tuple[list[int], list[int]]:
    """Return the places that lack marks, in order, and those whose marks are of nothing."""
    first = max((found.marked_to or 0) + 1, found.start)
    rows = connection.execute(_PLACES, {**found.places, "first": first})
    there = {place for (place,) in rows}
    marked: set[int] = set()
    if found.marked_to is not None:
        worded = BLOCKS.list_worded(connection, found.pk, first - found.start)
        marked = {found.start + seq for seq, _ in worded}
    return sorted(there - marked), sorted(marked - there)


def keep(connection: sqlite3.Connection, session: int, first: int, last: int) -> None:
    """Set the messages in these places aside, where searches still find them."""
    for statement in _KEEP:
        connection.execute(statement, {"session": session, "first": first, "last": last})


def forget(connection: sqlite3.Connection, session: int, first: int, last: int) -> None:
    """Remove vectors and marks in these places that no message has any more; say that some went."""
    places, start = {"first": first, "last": last}, session << 32
    connection.execute(_FORGET, places)
    marked = BLOCKS.list_worded(connection, session, first - start, last - start)
    if marked:
        said = _SAID.format("place", "place")
        there = {place - start for (place,) in connection.execute(said, places)}
        BLOCKS.drop(connection, session, [seq for seq, _ in marked if seq not in there])
    whole = {"first": start, "last": start + 2**32 - 1}
    (newest,) = connection.execute(_NEWEST, whole).fetchone()
    values = {"session": session, "epoch": _new_epoch(), "newest": max(newest, start)}
    connection.execute(_NEW_EPOCH, values)


def unmark(connection: sqlite3.Connection, session: int) -> None:
    """Say that messages have come back, of which the marks are missing."""
    connection.execute("UPDATE goldfish_sessions SET marked_to = 0 WHERE pk = ?", (session,))


def drop_kept(connection: sqlite3.Connection, session: int) -> None:
    """Remove all trimmed messages of the session."""
    connection.execute(_DROP_KEPT, {"session": session})
    connection.execute("UPDATE goldfish_sessions SET kept_top = NULL WHERE pk = ?", (session,))
    forget(connection, session, session << 32, (session + 1 << 32) - 1)


def drop_kept_until(connection: sqlite3.Connection, session: int, last: int) -> None:
    """Remove the session's trimmed messages up to a place; their vectors are left to others."""
    connection.execute(
        "DELETE FROM goldfish_kept WHERE place BETWEEN ? AND ?", (session << 32, last)
    )


def drop_kept_ids(connection: sqlite3.Connection, session: int, ids: Iterable[Key]) -> None:
    """Remove the trimmed messages of the session with these ids."""
    for each in ids:
        values = {"session": session, "id": each}
        _drop_kept_places(connection, session, connection.execute(_KEPT, values).fetchall())


def drop_returned(connection: sqlite3.Connection, session: int) -> None:
    """Remove trimmed messages that the history has again, after a rollback or a fork."""
    returned = connection.execute(_RETURNED, {"session": session}).fetchall()
    _drop_kept_places(connection, session, returned)


def _drop_kept_places(
    connection: sqlite3.Connection, session: int, places: Iterable[tuple[int]]
) -> None:
    for (place,) in places:
        connection.execute("DELETE FROM goldfish_kept WHERE place = ?", (place,))
        forget(connection, session, place, place)


def add(
    connection: sqlite3.Connection, session: int, before: int, first: int, embedded: Embedded
) -> None:
    """Store what messages are found by that were written from this place on, if they were.

    Up to the place ``before`` there may have been others.
    """
    given = first, first + len(embedded.marks) - 1
    written = {place for (place,) in connection.execute(_ADDED, given)}
    if not written:
        return
    last = max(written)  # what was there already left its place to the next who writes
    if len(written) < len(embedded.marks):
        kept = [place - first for place in sorted(written)]
        vectors = [embedded.vectors[n] for n in kept] if embedded.model else []
        embedded = Embedded(embedded.model, vectors, [embedded.marks[n] for n in kept])
    if before == session << 32:
        BLOCKS.drop_all(connection, session)
        connection.execute(_MARKED_ALL, {"session": session, "to": last})
    _put(connection, session, sorted(written), embedded, _ADD)
    connection.execute(_MARKED_MORE, {"session": session, "to": last, "before": before})


def _put(
    connection: sqlite3.Connection,
    session: int,
    places: Sequence[int],
    embedded: Embedded,
    statement: str,
) -> None:
    """Store what the messages in these places are found by."""
    if embedded.model:
        note_model(connection, embedded.model)
        connection.executemany(statement, zip(places, embedded.vectors, strict=True))
    pairs = zip(places, embedded.marks, strict=True)
    marked = [Marked(place - (session << 32), 0, marks) for place, marks in pairs]
    BLOCKS.put(connection, session, marked)


def copy_vectors(connection: sqlite3.Connection, session: int, into: int) -> None:
    """Give the messages of one session the vectors of the same messages in another."""
    connection.execute(_COPY, {"session": session, "into": into})


def note_model(connection: sqlite3.Connection, model: str) -> None:
    """Note whose vectors these are; raise if there are others."""
    stored = read_model(connection)
    if not stored:
        connection.execute("INSERT INTO goldfish_search_model VALUES (?)", (encode_key(model),))
    elif stored != model:
        raise mismatch_error(stored, model)


def read_model(connection: sqlite3.Connection) -> str:
    """Return the model of the stored vectors; empty if there are none."""
    row = connection.execute(_MODEL).fetchone()
    return decode_key(row[0]) if row else ""


def forget_vectors(connection: sqlite3.Connection) -> int:
    """Remove all vectors and marks; return how many had vectors."""
    removed = connection.execute("DELETE FROM goldfish_vectors").rowcount
    connection.execute("DELETE FROM goldfish_search_model")
    connection.execute("DELETE FROM goldfish_search_blocks")
    connection.execute("UPDATE goldfish_sessions SET epoch = random(), marked_epoch = NULL")
    return removed


def forget_all(connection: sqlite3.Connection) -> None:
    """Remove all that searches know."""
    for table in ("kept", "vectors", "search_blocks", "search_model"):
        connection.execute(f"DELETE FROM goldfish_{table}")


def _new_epoch() -> int:
    return int.from_bytes(os.urandom(8), signed=True)

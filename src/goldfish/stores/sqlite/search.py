"""Searches in a SQLite file: the backend of the search engine, and what other writes do for it.

A message has its vectors in its place, also while only a snapshot shows it, so that a rollback
brings it back ready to be found. A message that was trimmed and is kept for searches keeps its
place as well: to a search nothing has changed.
"""

import sqlite3
import time
from collections.abc import Iterable, Mapping

from goldfish.stores.retrieval.embedder import mismatch_error
from goldfish.stores.search.backend import Embedded, Known, Reading, Readings, Row
from goldfish.stores.sqlite.keys import Key, decode_key, encode_key
from goldfish.stores.sqlite.lanes import SQLiteLanes
from goldfish.stores.sqlite.quick import TooManyRowsError
from goldfish.stores.sqlite.transactions import at_one_moment

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
_NEW_EPOCH = "UPDATE goldfish_sessions SET epoch = random() WHERE pk = :session"
_DROP_KEPT = f"DELETE FROM goldfish_kept WHERE {_WITHIN}"
_RETURNED = f"""SELECT place FROM goldfish_kept WHERE {_WITHIN} AND EXISTS (
    SELECT 1 FROM goldfish_messages AS message
    WHERE message.id = goldfish_kept.id AND message.session = :session)"""
_KEPT = f"SELECT place FROM goldfish_kept WHERE id = :id AND {_WITHIN}"
_ADD = """INSERT OR REPLACE INTO goldfish_vectors (place, vectors)
    SELECT place, ? FROM goldfish_messages WHERE place = ?"""
_COPY = """INSERT OR REPLACE INTO goldfish_vectors (place, vectors)
    SELECT new.place, vectors FROM goldfish_messages AS new
    JOIN goldfish_messages AS old ON old.id = new.id AND old.session = :session
    JOIN goldfish_vectors ON goldfish_vectors.place = old.place
    WHERE new.place BETWEEN :into << 32 AND (:into + 1 << 32) - 1"""
_MODEL = "SELECT name FROM goldfish_search_model"
_FIND = """SELECT pk, epoch FROM goldfish_sessions
    WHERE session_id = ? AND (expires_at IS NULL OR expires_at > ?)"""
_NEWEST = """SELECT max(
    coalesce((SELECT max(place) FROM goldfish_messages WHERE place BETWEEN :first AND :last), -1),
    coalesce((SELECT max(place) FROM goldfish_kept WHERE place BETWEEN :first AND :last), -1))"""
_SAID = """SELECT said.place, id, body, vectors FROM (
        SELECT place, id, body FROM goldfish_messages WHERE place BETWEEN :first AND :last
        UNION ALL SELECT place, id, body FROM goldfish_kept WHERE place BETWEEN :first AND :last
    ) AS said LEFT JOIN goldfish_vectors ON goldfish_vectors.place = said.place
    ORDER BY said.place"""
_EMBED = """INSERT OR REPLACE INTO goldfish_vectors (place, vectors) SELECT :place, :vectors
    WHERE EXISTS (SELECT 1 FROM goldfish_messages WHERE place = :place AND id = :id)
    OR EXISTS (SELECT 1 FROM goldfish_kept WHERE place = :place AND id = :id)"""


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

    async def embed(self, reading: Reading, embedded: Embedded) -> None:
        def embed(connection: sqlite3.Connection) -> None:
            session = (encode_key(reading.session_id), time.time())
            row = connection.execute(_FIND, session).fetchone()
            if row is None or str(row[1]) != reading.known.epoch:
                return
            note_model(connection, embedded.model)
            for each, vectors in zip(reading.rows, embedded.vectors, strict=True):
                values = {"place": each.place, "id": encode_key(each.id), "vectors": vectors}
                connection.execute(_EMBED, values)

        await self._lanes.write(embed)

    async def forget_vectors(self) -> int:
        return await self._lanes.write(forget_vectors)


def _read(
    connection: sqlite3.Connection, session_id: str, known: Known, most: int | None
) -> Reading:
    found = connection.execute(_FIND, (encode_key(session_id), time.time())).fetchone()
    if found is None:
        return Reading(session_id, Known(), Known(), ())
    pk, epoch = found
    places = {"first": pk << 32, "last": (pk + 1 << 32) - 1}
    (newest,) = connection.execute(_NEWEST, places).fetchone()
    now = Known(str(epoch), newest)
    since = known if known.epoch == now.epoch else Known()
    if since == now:
        return Reading(session_id, since, now, ())
    first = max(since.newest + 1, places["first"])
    if most is not None and newest - first >= most:
        raise TooManyRowsError
    rows = connection.execute(_SAID, {"first": first, "last": newest})
    said = [Row(place, decode_key(each), body, vectors) for place, each, body, vectors in rows]
    return Reading(session_id, since, now, said)


def keep(connection: sqlite3.Connection, session: int, first: int, last: int) -> None:
    """Set the messages in these places aside, where searches still find them."""
    for statement in _KEEP:
        connection.execute(statement, {"session": session, "first": first, "last": last})


def forget(connection: sqlite3.Connection, session: int, first: int, last: int) -> None:
    """Remove the vectors in these places that no message has any more, and say that some went."""
    connection.execute(_FORGET, {"first": first, "last": last})
    connection.execute(_NEW_EPOCH, {"session": session})


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
    """Remove trimmed messages that the history has again, after a rollback."""
    returned = connection.execute(_RETURNED, {"session": session}).fetchall()
    _drop_kept_places(connection, session, returned)


def _drop_kept_places(
    connection: sqlite3.Connection, session: int, places: Iterable[tuple[int]]
) -> None:
    for (place,) in places:
        connection.execute("DELETE FROM goldfish_kept WHERE place = ?", (place,))
        forget(connection, session, place, place)


def add_vectors(connection: sqlite3.Connection, place: int, embedded: Embedded) -> None:
    """Store the vectors of messages that were written from this place on, as far as they were."""
    note_model(connection, embedded.model)
    connection.executemany(
        _ADD, [(vectors, at) for at, vectors in enumerate(embedded.vectors, place)]
    )


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
    """Remove all vectors; return how many."""
    removed = connection.execute("DELETE FROM goldfish_vectors").rowcount
    connection.execute("DELETE FROM goldfish_search_model")
    connection.execute("UPDATE goldfish_sessions SET epoch = random()")
    return removed


def forget_all(connection: sqlite3.Connection) -> None:
    """Remove all that searches know."""
    for table in ("kept", "vectors", "search_model"):
        connection.execute(f"DELETE FROM goldfish_{table}")

"""What was said, for searches, from a SQLite file."""

import sqlite3
import time
from collections.abc import Mapping

from goldfish.stores.search.backend import Embedded, Known, Reading, Readings, Row
from goldfish.stores.sqlite import search as sqlite_search
from goldfish.stores.sqlite.keys import key, text
from goldfish.stores.sqlite.lanes import SQLiteLanes
from goldfish.stores.sqlite.quick import TooManyRowsError

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
    """The messages in one file, with their vectors."""

    def __init__(self, lanes: SQLiteLanes) -> None:
        self._lanes = lanes

    async def read(self, wanted: Mapping[str, Known]) -> Readings:
        """What these sessions hold beyond what is known; nothing for one that is not there."""

        def read(connection: sqlite3.Connection, most: int | None) -> Readings:
            connection.execute("BEGIN")  # so that all is read as of one moment
            try:
                readings = [_reading(connection, *each, most) for each in wanted.items()]
                model = sqlite_search.model_of(connection)
                return Readings(frozenset([model] if model else []), readings)
            finally:
                connection.execute("COMMIT")

        return await self._lanes.read(read)

    async def embed(self, reading: Reading, embedded: Embedded) -> None:
        """Store the vectors of the reading's rows, unless the session's epoch has changed."""

        def embed(connection: sqlite3.Connection) -> None:
            row = connection.execute(_FIND, (key(reading.session_id), time.time())).fetchone()
            if row is None or str(row[1]) != reading.known.epoch:
                return
            sqlite_search.note_model(connection, embedded.model)
            for each, vectors in zip(reading.rows, embedded.vectors, strict=True):
                values = {"place": each.place, "id": key(each.id), "vectors": vectors}
                connection.execute(_EMBED, values)

        await self._lanes.write(embed)

    async def forget_vectors(self) -> int:
        """Remove the vectors of all messages, and the name of their model; return how many."""
        return await self._lanes.write(sqlite_search.forget_vectors)


def _reading(
    connection: sqlite3.Connection, session_id: str, known: Known, most: int | None
) -> Reading:
    found = connection.execute(_FIND, (key(session_id), time.time())).fetchone()
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
    said = [Row(place, text(each), body, vectors) for place, each, body, vectors in rows]
    return Reading(session_id, since, now, said)

"""The backend of searches in PostgreSQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from goldfish.stores.postgres.arrays import ByteArray
from goldfish.stores.postgres.calls import Run
from goldfish.stores.postgres.keys import decode_id, encode_id, make_key
from goldfish.stores.postgres.marks import decode_marks
from goldfish.stores.retrieval.blocks import NO_MARKS
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

_LIVING = "(s.expires_at IS NULL OR s.expires_at > clock_timestamp())"
# One statement, so that all is read as of one moment.
_READ = f"""WITH asked AS (
        SELECT nth, pk, pk || '.' || s.epoch AS epoch, greatest(
            (SELECT max(seq) FROM {{s}}.messages WHERE session = pk),
            (SELECT max(seq) FROM {{s}}.kept WHERE session = pk), -1) AS newest,
            CASE WHEN pk || '.' || s.epoch = w.epoch THEN w.newest ELSE -1 END AS since
        FROM unnest(%b::bytea[], %b::text[], %b::bigint[])
            WITH ORDINALITY AS w (key, epoch, newest, nth)
        JOIN {{s}}.sessions AS s ON s.key = w.key AND {_LIVING}
    )
    SELECT nth, epoch, newest, since, many = marked, directory, data,
        (SELECT name FROM {{s}}.search_model)
    FROM asked, LATERAL (
        SELECT count(*) AS many, count(m.seq) AS marked,
            string_agg(int8send(seq) || int8send(0) || int8send(octet_length(m.marks)::bigint),
                ''::bytea ORDER BY seq) AS directory,
            string_agg(m.marks, ''::bytea ORDER BY seq) AS data
        FROM (
            SELECT seq FROM {{s}}.messages WHERE session = pk AND seq > since
            UNION ALL SELECT seq FROM {{s}}.kept WHERE session = pk AND seq > since
        ) AS said LEFT JOIN (SELECT seq, marks FROM {{s}}.marks
            WHERE session = pk AND seq > since) AS m USING (seq)
    ) AS found"""
_SOME = f"""SELECT w.nth, p.seq, found.* FROM unnest(%b::bytea[], %b::text[])
        WITH ORDINALITY AS w (key, epoch, nth)
    JOIN {{s}}.sessions AS s ON s.key = w.key AND {_LIVING}
        AND w.epoch IN ('', pk || '.' || s.epoch)
    JOIN unnest(%b::bigint[], %b::bigint[]) AS p (nth, seq) ON p.nth = w.nth,
    LATERAL """
_BODIES = f"""{_SOME} (
        SELECT body FROM {{s}}.messages WHERE session = pk AND seq = p.seq
        UNION ALL SELECT body FROM {{s}}.kept WHERE session = pk AND seq = p.seq
    ) AS found"""
_VECTORS = f"""{_SOME} (
        SELECT vectors FROM {{s}}.vectors WHERE session = pk AND seq = p.seq
    ) AS found"""
# A session without such messages has one row of NULLs.
_UNMARKED = f"""SELECT pk || '.' || s.epoch, said.seq, said.body, v.vectors FROM {{s}}.sessions AS s
    LEFT JOIN LATERAL (
        SELECT seq, body FROM (
            SELECT seq, body FROM {{s}}.messages WHERE session = pk AND seq > %b::bigint
            UNION ALL SELECT seq, body FROM {{s}}.kept WHERE session = pk AND seq > %b::bigint
        ) AS found WHERE NOT EXISTS
            (SELECT 1 FROM {{s}}.marks AS m WHERE m.session = pk AND m.seq = found.seq)
        ORDER BY seq LIMIT {STEP}
    ) AS said ON true
    LEFT JOIN {{s}}.vectors AS v ON v.session = pk AND v.seq = said.seq
    WHERE s.key = %b AND {_LIVING} ORDER BY said.seq"""


class PostgresSearch:
    """The messages in one schema, and what they are found by; ``run`` runs a statement."""

    def __init__(self, run: Run, schema: str) -> None:
        self._run = run
        statements = (_READ, _BODIES, _VECTORS, _UNMARKED)
        filled = [each.replace("{s}", schema).encode() for each in statements]
        self._read, self._bodies, self._vectors, self._unmarked = filled
        self._mark = f"""SELECT {schema}.mark(
            %b, %b, %b::bytea, %b::bigint[], %b::bytea[], %b::bytea[])""".encode()
        self._forget = f"SELECT {schema}.forget_vectors()".encode()

    async def read(self, wanted: Mapping[str, Known]) -> Readings:
        """Return what these sessions hold beyond what is known; nothing for a missing one."""
        known = list(wanted.values())
        names = [make_key(session_id) for session_id in wanted]
        values = [names, [each.epoch for each in known], [each.newest for each in known]]
        rows = {row[0]: row[1:] for row in await self._run(self._read, values)}
        models = frozenset(decode_id(row[-1]) for row in rows.values() if row[-1] is not None)
        return Readings(
            models, [_make_reading(each, rows.get(nth)) for nth, each in enumerate(wanted, 1)]
        )

    async def vectors(self, wanted: Mapping[str, Places]) -> dict[str, dict[int, bytes]]:
        """Return the vectors of messages by place."""
        return await self._read_each(self._vectors, wanted)

    async def bodies(self, wanted: Mapping[str, Places]) -> dict[str, dict[int, str]]:
        """Return messages by place."""
        found = await self._read_each(self._bodies, wanted)
        return {
            key: {place: body.decode() for place, body in bodies.items()}
            for key, bodies in found.items()
        }

    async def unmarked(self, session_id: str, after: int) -> Unmarked:
        """Return the first messages beyond a place without marks."""
        rows = await self._run(self._unmarked, [after, after, make_key(session_id)])
        said = [Row(seq, body.decode(), vectors) for _, seq, body, vectors in rows if seq]
        return Unmarked(rows[0][0] if rows else "", said)

    async def mark(
        self, session_id: str, epoch: str, places: Sequence[int], embedded: Embedded
    ) -> None:
        """Store what these messages are found by, unless the session's epoch has changed."""
        if places:
            model, *rest = encode_embedded(embedded)
            values = [make_key(session_id), epoch, model, list(places), *rest]
            refuse_other_model(await self._run(self._mark, values), embedded.model)

    async def forget_vectors(self) -> int:
        """Remove vectors and marks of all messages, and the name of the model."""
        return int((await self._run(self._forget, []))[0][0])

    async def _read_each(
        self, statement: bytes, wanted: Mapping[str, Places]
    ) -> dict[str, dict[int, bytes]]:
        names = [make_key(session_id) for session_id in wanted]
        epochs = [each.epoch or "" for each in wanted.values()]
        pairs = [(n, at) for n, each in enumerate(wanted.values(), 1) for at in each.places]
        values = [names, epochs, [n for n, _ in pairs], [place for _, place in pairs]]
        sessions, found = list(wanted), dict[str, dict[int, bytes]]()
        for nth, seq, value in await self._run(statement, values):
            found.setdefault(sessions[nth - 1], {})[seq] = value
        return found


def encode_embedded(embedded: Embedded) -> list[Any]:
    """Return what messages are found by as values: model, vectors and marks."""
    model = encode_id(embedded.model) if embedded.model else None
    return [model, ByteArray(embedded.vectors), ByteArray(embedded.marks)]


def refuse_other_model(answer: list[tuple[Any, ...]], model: str) -> None:
    """Raise if the server answered with another model than this, and so wrote nothing."""
    stored = "" if answer[0][0] is None else decode_id(answer[0][0])
    if stored != model:
        raise mismatch_error(stored, model)


def _make_reading(session_id: str, row: Sequence[Any] | None) -> Reading:
    if row is None:
        return reading_of_nothing(session_id)
    epoch, newest, since, marked, directory, data, _ = row
    before = Known() if since == -1 else Known(epoch, since)
    marks = decode_marks(directory, data) if marked else NO_MARKS
    return Reading(session_id, before, Known(epoch, newest), marks, marked)

"""The backend of searches in PostgreSQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from goldfish.stores.postgres.calls import Run
from goldfish.stores.postgres.keys import decode_id, encode_id, make_key
from goldfish.stores.retrieval.embedder import mismatch_error
from goldfish.stores.search.backend import Embedded, Known, Reading, Readings, Row

# One statement, so that all is read as of one moment. A session without news has one row of NULLs.
_READ = """WITH asked AS (
        SELECT nth, pk, pk || '.' || s.epoch AS epoch, greatest(
            (SELECT max(seq) FROM {s}.messages WHERE session = pk),
            (SELECT max(seq) FROM {s}.kept WHERE session = pk), -1) AS newest,
            CASE WHEN pk || '.' || s.epoch = w.epoch THEN w.newest ELSE -1 END AS since
        FROM unnest(%b::bytea[], %b::text[], %b::bigint[])
            WITH ORDINALITY AS w (key, epoch, newest, nth)
        JOIN {s}.sessions AS s ON s.key = w.key
            AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())
    )
    SELECT nth, epoch, newest, since, said.seq, said.key, said.body, v.vectors,
        (SELECT name FROM {s}.search_model)
    FROM asked LEFT JOIN LATERAL (
        SELECT seq, key, body FROM {s}.messages WHERE session = pk AND seq > since
        UNION ALL SELECT seq, key, body FROM {s}.kept WHERE session = pk AND seq > since
    ) AS said ON true
    LEFT JOIN {s}.vectors AS v ON v.session = pk AND v.seq = said.seq
    ORDER BY nth, said.seq"""


class PostgresSearch:
    """The messages in one schema, with their vectors; ``run`` runs a statement."""

    def __init__(self, run: Run, schema: str) -> None:
        self._run = run
        self._read = _READ.replace("{s}", schema).encode()
        self._embed = f"SELECT {schema}.embed(%b, %b, %b, %b::bigint[], %b::bytea[])".encode()
        self._forget = f"SELECT {schema}.forget_vectors()".encode()

    async def read(self, wanted: Mapping[str, Known]) -> Readings:
        """Return what these sessions hold beyond what is known; nothing for a missing one."""
        known = list(wanted.values())
        names = [make_key(session_id) for session_id in wanted]
        values = [names, [each.epoch for each in known], [each.newest for each in known]]
        rows = await self._run(self._read, values)
        models = frozenset(decode_id(row[8]) for row in rows[:1] if row[8] is not None)
        by_session: dict[int, list[Sequence[Any]]] = {}
        for row in rows:
            by_session.setdefault(row[0], []).append(row)
        return Readings(
            models,
            [_make_reading(each, by_session.get(nth, [])) for nth, each in enumerate(wanted, 1)],
        )

    async def embed(self, reading: Reading, embedded: Embedded) -> None:
        """Store the vectors of the reading's rows, unless the session's epoch has changed."""
        seqs = [row.place for row in reading.rows]
        name = make_key(reading.session_id)
        values = [name, reading.known.epoch, encode_id(embedded.model), seqs, embedded.vectors]
        refuse_other_model(await self._run(self._embed, values), embedded.model)

    async def forget_vectors(self) -> int:
        """Remove the vectors of all messages, and the name of their model; return how many."""
        return int((await self._run(self._forget, []))[0][0])


def refuse_other_model(answer: list[tuple[Any, ...]], model: str) -> None:
    """Raise if the server answered with another model than this, and so wrote nothing."""
    stored = decode_id(answer[0][0])
    if stored != model:
        raise mismatch_error(stored, model)


def _make_reading(session_id: str, rows: list[Sequence[Any]]) -> Reading:
    if not rows:
        return Reading(session_id, Known(), Known(), ())
    _, epoch, newest, since, *_ = rows[0]
    before = Known() if since == -1 else Known(epoch, since)
    said = [
        Row(seq, each.hex(), body.decode(), vectors)
        for _, _, _, _, seq, each, body, vectors, _ in rows
        if seq is not None
    ]
    return Reading(session_id, before, Known(epoch, newest), said)

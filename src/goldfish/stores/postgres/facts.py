"""Facts in PostgreSQL: functions write them, and an index by change tells what is new.

Facts are ranked in the process (``facts/ranking.py``) by their marks, as for the other backends:
the same facts have the same order on any server, with and without extensions.
"""

from collections.abc import Sequence
from typing import Any

from goldfish.stores.facts.backend import (
    PAGE,
    STEP,
    Added,
    Changes,
    Known,
    Named,
    New,
    Revised,
    Row,
    Stored,
    Unchanged,
    Unmarked,
    Vector,
    Written,
)
from goldfish.stores.facts.identity import NAMED
from goldfish.stores.postgres.calls import Run
from goldfish.stores.postgres.keys import decode_id, encode_id, make_key
from goldfish.stores.postgres.marks import decode_marks
from goldfish.stores.retrieval.blocks import NO_MARKS, Marked


class PostgresFacts:
    """A ``FactsBackend`` in PostgreSQL; ``run`` runs a statement, ``schema`` is a quoted name."""

    def __init__(self, run: Run, schema: str) -> None:
        self._run = run
        self._sql = _Statements(schema)

    async def changes(self, user_id: str, known: Known) -> Changes:
        """Return what is new since."""
        found = await self._run(self._sql.changes, [*known, PAGE, make_key(user_id)])
        if not found:
            return Changes(Known(), "", 0.0, NO_MARKS, {}, anew=True)
        *numbers, model, now, marked, anew, alive, directory, data, seqs, ends = found[0]
        return Changes(
            Known(*numbers),
            decode_id(model),
            now,
            decode_marks(directory, data) if marked else NO_MARKS,
            dict(zip(seqs or (), ends or (), strict=True)),
            alive,
            anew,
            marked,
        )

    async def find(self, user_id: str, fact_id: str) -> Stored | None:
        """Return one living fact."""
        found = await self._run(self._sql.find, [make_key(user_id), encode_id(fact_id)])
        return next(iter(_decode_stored(found)), None)

    async def find_named(self, user_id: str, key: str) -> Named:
        """Return the living fact with the key of a name."""
        found = await self._run(self._sql.find_named, [encode_id(key), make_key(user_id)])
        if not found:
            return Named(None, True)
        lacks_names, *values = found[0]
        return Named(None if values[0] is None else _make_row(*values), not lacks_names)

    async def page(self, user_id: str, offset: int, limit: int | None) -> list[Stored]:
        """Return living facts in the order in which they came."""
        found = await self._run(self._sql.page, [make_key(user_id), limit, offset])
        return _decode_stored(found)

    async def read(self, user_id: str, seqs: list[int]) -> list[Stored]:
        """Return those of these facts that live."""
        return _decode_stored(await self._run(self._sql.read_facts, [make_key(user_id), seqs]))

    async def read_unchanged(self, user_id: str, known: Known, seqs: list[int]) -> Unchanged | None:
        """Do the same as of one moment; None if anything has changed since."""
        values = [make_key(user_id), *known, seqs]
        found = await self._run(self._sql.read_unchanged, values)
        if not found:
            return None
        rows = [values for _, *values in found if values[1] is not None]
        return Unchanged(found[0][0], _decode_stored(rows))

    async def vectors(self, user_id: str, seqs: list[int]) -> list[Vector]:
        """Return the vectors of those of these facts that are there."""
        found = await self._run(self._sql.vectors, [make_key(user_id), seqs])
        return [Vector(*row) for row in found]

    async def bases(self, user_id: str, after: int) -> list[tuple[int, str]]:
        """Return number and base of each fact that came after a number."""
        found = await self._run(self._sql.bases, [make_key(user_id), after])
        return [(seq, base.decode()) for seq, base in found]

    async def remember(self, user_id: str, new: New) -> Written:
        """Store the fact, or count the one with its key."""
        values = [*_encode_new(user_id, new), _encode_token(new.token), new.marks]
        outcome, detail, *told = (await self._run(self._sql.remember, values))[0]
        added = None if told[0] is None else _make_added(new, *told)
        return Written(outcome, decode_id(detail), added)

    async def replace(self, user_id: str, new: New, former: Sequence[str] | None = None) -> Written:
        """Store the fact, and remove those whose place it takes."""
        ids = None if former is None else [encode_id(each) for each in former]
        values = [*_encode_new(user_id, new), new.marks, ids]
        return await self._write(self._sql.replace, values)

    async def revise(self, user_id: str, fact_id: str, revised: Revised) -> Written:
        """Replace the text and keep the old one as history."""
        texts = (fact_id, revised.key, revised.said, revised.model)
        values = [
            make_key(user_id),
            *map(encode_id, texts),
            revised.vectors,
            _encode_token(revised.token),
            revised.marks,
        ]
        return await self._write(self._sql.revise, values)

    async def link(self, user_id: str, fact_id: str, said_at: int, near: str) -> None:
        """Note which facts it resembles."""
        values = [make_key(user_id), encode_id(fact_id), said_at, encode_id(near)]
        await self._run(self._sql.link, values)

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Remove the fact and its history."""
        await self._run(self._sql.forget, [make_key(user_id), encode_id(fact_id)])

    async def forget_all(self, user_id: str) -> None:
        """Remove all that there is of the user."""
        await self._run(self._sql.forget_all, [make_key(user_id)])

    async def history(self, user_id: str, fact_id: str) -> list[str]:
        """Return what the fact said before."""
        rows = await self._run(self._sql.history, [make_key(user_id), encode_id(fact_id)])
        return [decode_id(said) for (said,) in rows]

    async def users(self) -> list[str]:
        """Return everybody who may have facts."""
        return [decode_id(user_id) for (user_id,) in await self._run(self._sql.users, [])]

    async def unmarked(self, user_id: str, after: int) -> list[Unmarked]:
        """Return the first facts beyond a number without marks of their text."""
        found = await self._run(self._sql.unmarked, [make_key(user_id), after, STEP])
        return [
            Unmarked(seq, said_at, base.decode(), said.decode(), vectors)
            for seq, said_at, base, said, vectors in found
        ]

    async def mark(self, user_id: str, marked: list[Marked]) -> bool:
        """Store marks of facts that say what they were made of."""
        columns = [list(column) for column in zip(*marked, strict=True)] or [[], [], []]
        return bool((await self._run(self._sql.mark, [make_key(user_id), *columns]))[0][0])

    async def embed(
        self, user_id: str, known: Known, model: str, epoch: int, vectors: list[Vector]
    ) -> bool:
        """Replace all vectors, unless anything has changed since."""
        seqs, stored = [each.seq for each in vectors], [each.vectors for each in vectors]
        values = [make_key(user_id), *known, encode_id(model), epoch, seqs, stored]
        return bool((await self._run(self._sql.embed, values))[0][0])

    async def _write(self, statement: bytes, values: list[Any]) -> Written:
        outcome, detail = (await self._run(statement, values))[0]
        return Written(outcome, decode_id(detail))


class _Statements:
    """The SQL for one schema; ``%b`` sends a value in binary form."""

    def __init__(self, s: str) -> None:
        # One statement, so that what is new and what is gone are those of one moment. Whoever is
        # too far behind gets everything. (OFFSET 0: the planner takes a page of news for a third of
        # all facts, and would go through the marks of them all.)
        self.changes = f"""WITH u AS (
                SELECT *, epoch <> k.epoch_known OR version - k.version_known > k.page AS anew
                FROM {s}.fact_users, (SELECT %b::bigint AS epoch_known, %b::bigint AS version_known,
                    %b::bigint AS removals_known, %b::bigint AS page) AS k WHERE key = %b
            ), news AS (
                SELECT f.seq, f.expires_at FROM u JOIN {s}.facts AS f ON f.owner = u.pk
                WHERE u.marked AND NOT u.anew AND f.changed > u.version_known
            ), found AS (
                SELECT m.seq, m.said_at, m.marks FROM u JOIN {s}.fact_marks AS m ON m.owner = u.pk
                WHERE u.marked AND u.anew
                UNION ALL SELECT news.seq, m.said_at, m.marks FROM u, news, LATERAL (
                    SELECT said_at, marks FROM {s}.fact_marks WHERE owner = u.pk AND seq = news.seq
                    OFFSET 0) AS m
            ), ends AS (
                SELECT f.seq, f.expires_at FROM u JOIN {s}.facts AS f ON f.owner = u.pk
                WHERE u.marked AND u.anew AND f.expires_at IS NOT NULL
                UNION ALL SELECT seq, expires_at FROM news WHERE expires_at IS NOT NULL
            ), joined AS (
                SELECT string_agg(int8send(seq) || int8send(said_at)
                    || int8send(octet_length(marks)::bigint), ''::bytea) AS directory,
                    string_agg(marks, ''::bytea) AS data FROM found
            ), ended AS (
                SELECT array_agg(seq) AS seqs,
                    array_agg(extract(epoch FROM expires_at)::float8) AS times FROM ends
            ) SELECT u.epoch, u.version, u.removals, u.model,
                extract(epoch FROM clock_timestamp())::float8, u.marked, u.anew,
                CASE WHEN u.marked AND NOT u.anew AND u.removals <> u.removals_known
                    THEN ARRAY(SELECT seq FROM {s}.facts WHERE owner = u.pk) END,
                joined.directory, joined.data, ended.seqs, ended.times
            FROM u, joined, ended""".encode()
        living = "(f.expires_at IS NULL OR f.expires_at > clock_timestamp())"
        row = """f.seq, f.changed, f.said_at, f.id, f.base, f.said, f.times_seen, f.near,
            extract(epoch FROM f.expires_at)::float8"""
        chosen = f"""chosen AS MATERIALIZED (SELECT f.owner, f.seq, f.changed, f.said_at, f.id,
                f.base, f.said, f.times_seen, f.near, f.expires_at FROM {s}.facts AS f
            WHERE f.owner = (SELECT pk FROM u) AND {living}"""
        facts = f"WITH u AS (SELECT pk FROM {s}.fact_users WHERE key = %b), {chosen}"
        # Each fact, then those that links connect to it.
        each = f"""SELECT NULL::bigint, {row} FROM chosen AS f
            UNION ALL SELECT l.seq, {row} FROM chosen AS c
            JOIN {s}.fact_links AS l ON l.owner = c.owner AND l.seq = c.seq
            JOIN {s}.facts AS f ON f.owner = l.owner AND f.seq = l.other WHERE {living}"""
        around = f") {each}"
        paging = "ORDER BY f.seq LIMIT %b::bigint OFFSET %b::bigint"
        self.find = f"{facts} AND f.id = %b {around}".encode()
        self.page = f"{facts} {paging} {around}".encode()
        self.read_facts = f"{facts} AND f.seq = ANY (%b::bigint[]) {around}".encode()
        self.read_unchanged = f"""WITH u AS (SELECT pk FROM {s}.fact_users WHERE key = %b
                AND epoch = %b::bigint AND version = %b::bigint AND removals = %b::bigint),
            {chosen} AND f.seq = ANY (%b::bigint[]))
            SELECT extract(epoch FROM clock_timestamp())::float8, each.*
            FROM u LEFT JOIN ({each}) AS each ON true""".encode()
        self.find_named = f"""SELECT EXISTS (SELECT 1 FROM {s}.facts AS n
                WHERE n.owner = u.pk AND n.key < '{NAMED}'), {row}
            FROM {s}.fact_users AS u
            LEFT JOIN {s}.facts AS f ON f.owner = u.pk AND f.key = %b AND {living}
            WHERE u.key = %b""".encode()
        owner = f"(SELECT pk FROM {s}.fact_users WHERE key = %b)"
        self.vectors = f"""SELECT seq, said_at, vectors FROM {s}.facts
            WHERE owner = {owner} AND seq = ANY (%b::bigint[])""".encode()
        self.bases = f"""SELECT seq, base FROM {s}.facts
            WHERE owner = {owner} AND seq > %b::bigint""".encode()
        self.unmarked = f"""SELECT f.seq, f.said_at, f.base, f.said, f.vectors
            FROM {s}.facts AS f LEFT JOIN {s}.fact_marks AS m USING (owner, seq)
            WHERE owner = {owner} AND f.seq > %b::bigint
            AND m.said_at IS DISTINCT FROM f.said_at ORDER BY f.seq LIMIT %b::bigint""".encode()
        self.mark = f"SELECT {s}.mark_facts(%b, %b::bigint[], %b::bigint[], %b::bytea[])".encode()
        self.remember = f"""SELECT * FROM {s}.add_fact(
            %b, %b, %b, %b, %b, %b, %b::double precision, %b, %b, %b::bigint, %b::bytea,
            %b::bytea)""".encode()
        self.replace = f"""SELECT * FROM {s}.replace_fact(
            %b, %b, %b, %b, %b, %b, %b::double precision, %b, %b, %b::bigint, %b,
            %b::bytea[])""".encode()
        self.revise = f"""SELECT * FROM {s}.revise_fact(
            %b, %b, %b, %b, %b, %b, %b::bytea, %b::bytea)""".encode()
        self.link = f"SELECT {s}.link_fact(%b, %b, %b::bigint, %b)".encode()
        self.forget = f"SELECT {s}.forget_fact(%b, %b)".encode()
        self.forget_all = f"SELECT {s}.forget_facts(%b)".encode()
        self.history = f"""SELECT h.said FROM {s}.fact_history AS h
            JOIN {s}.facts AS f USING (owner, seq) JOIN {s}.fact_users AS u ON u.pk = owner
            WHERE u.key = %b AND f.id = %b ORDER BY h.changed""".encode()
        self.users = f"SELECT user_id FROM {s}.fact_users ORDER BY pk".encode()
        self.embed = f"""SELECT {s}.embed_facts(%b, %b::bigint, %b::bigint, %b::bigint, %b,
            %b::bigint, %b::bigint[], %b::bytea[])""".encode()


def _encode_new(user_id: str, new: New) -> list[Any]:
    """Return what all functions take that store a new fact."""
    texts = [encode_id(text) for text in (new.id, new.key, new.base, new.said)]
    user = [make_key(user_id), encode_id(user_id)]
    return [*user, *texts, new.ttl, encode_id(new.model), new.vectors, new.epoch]


def _make_added(
    new: New, epoch: int, version: int, removals: int, now: float, marked: bool, ends: float | None
) -> Added:
    row = Row(version, version, version, new.id, new.base, new.said, 1, "[]", ends)
    return Added(Known(epoch, version, removals), now, marked, row)


def _encode_token(token: str | None) -> bytes | None:
    return None if token is None else encode_id(token)


def _decode_stored(found: list[Any]) -> list[Stored]:
    """Return facts together with those that links connect them to."""
    own = (_make_row(*values) for of, *values in found if of is None)
    stored = {row.seq: Stored(row, []) for row in own}
    for of, *values in found:
        if of is not None:
            stored[of].around.append(_make_row(*values))
    return [stored[seq] for seq in sorted(stored)]


def _make_row(
    seq: int,
    changed: int,
    said_at: int,
    fact_id: bytes,
    base: bytes,
    said: bytes,
    times_seen: int,
    near: bytes,
    expires_at: float | None,
) -> Row:
    texts = fact_id.decode(), base.decode(), said.decode()
    return Row(seq, changed, said_at, *texts, times_seen, near.decode(), expires_at)

"""Facts in PostgreSQL: functions write them, and an index by change tells what is new.

Words and vectors are searched in the process (``facts/ranking.py``), as for the other backends: it
ranks all facts of a user exactly, in less time than a round trip per query saves, on any server.
"""

from typing import Any

from goldfish.stores.facts.backend import PAGE, Changes, Known, New, Revised, Row, Written
from goldfish.stores.postgres.calls import Run
from goldfish.stores.postgres.keys import decode_id, encode_id, make_key


class PostgresFacts:
    """A ``FactsBackend`` in PostgreSQL; ``run`` runs a statement, ``schema`` is a quoted name."""

    def __init__(self, run: Run, schema: str) -> None:
        self._run = run
        self._sql = _Statements(schema)

    async def changes(self, user_id: str, known: Known) -> Changes:
        """Return what is new since."""
        epoch, version, removals = known
        values = [epoch, removals, epoch, version, PAGE + 1, make_key(user_id)]
        found = await self._run(self._sql.changes, values)
        if not found:
            return Changes(Known(), "", 0.0, [])
        *numbers, model, now, alive = found[0][:6]
        rows = [_make_row(*each[6:]) for each in found if each[6] is not None]
        return Changes(Known(*numbers), decode_id(model), now, rows, alive).cut(PAGE)

    async def remember(self, user_id: str, new: New) -> Written:
        """Store the fact, or count the one with its key."""
        name = encode_id(user_id)
        texts = [encode_id(text) for text in (new.id, new.key, new.base, new.said)]
        values = [
            make_key(user_id),
            name,
            *texts,
            new.ttl,
            encode_id(new.model),
            new.vectors,
            new.epoch,
        ]
        return await self._write(self._sql.remember, [*values, _encode_token(new.token)])

    async def revise(self, user_id: str, fact_id: str, revised: Revised) -> Written:
        """Replace the text and keep the old one as history."""
        texts = (fact_id, revised.key, revised.said, revised.model)
        values = [
            make_key(user_id),
            *map(encode_id, texts),
            revised.vectors,
            _encode_token(revised.token),
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

    async def embed(
        self, user_id: str, known: Known, model: str, epoch: int, vectors: list[tuple[int, bytes]]
    ) -> bool:
        """Replace all vectors, unless anything has changed since."""
        seqs, stored = [seq for seq, _ in vectors], [each for _, each in vectors]
        values = [make_key(user_id), *known, encode_id(model), epoch, seqs, stored]
        return bool((await self._run(self._sql.embed, values))[0][0])

    async def _write(self, statement: bytes, values: list[Any]) -> Written:
        outcome, detail = (await self._run(statement, values))[0]
        return Written(outcome, decode_id(detail))


class _Statements:
    """The SQL for one schema; ``%b`` sends a value in binary form."""

    def __init__(self, s: str) -> None:
        # One statement, so that what is new and what is gone are those of one moment; what is
        # left, where something is gone, stands in the first row alone.
        self.changes = f"""SELECT u.epoch, u.version, u.removals, u.model,
                extract(epoch FROM clock_timestamp())::float8,
                CASE WHEN coalesce(nth, 1) = 1
                    AND u.removals <> CASE WHEN u.epoch = %b::bigint THEN %b::bigint ELSE 0 END
                    THEN ARRAY(SELECT seq FROM {s}.facts WHERE owner = u.pk) END,
                seq, changed, said_at, id, base,
                said, times_seen, near, extract(epoch FROM expires_at)::float8, vectors
            FROM {s}.fact_users AS u LEFT JOIN LATERAL (
                SELECT *, row_number() OVER (ORDER BY changed) AS nth FROM {s}.facts
                WHERE owner = u.pk
                AND changed > CASE WHEN u.epoch = %b::bigint THEN %b::bigint ELSE 0 END
                ORDER BY changed LIMIT %b::bigint
            ) AS f ON true WHERE u.key = %b ORDER BY changed""".encode()
        self.remember = f"""SELECT * FROM {s}.remember_fact(
            %b, %b, %b, %b, %b, %b, %b::double precision, %b, %b, %b::bigint, %b::bytea)""".encode()
        self.revise = f"SELECT * FROM {s}.revise_fact(%b, %b, %b, %b, %b, %b, %b::bytea)".encode()
        self.link = f"SELECT {s}.link_fact(%b, %b, %b::bigint, %b)".encode()
        self.forget = f"SELECT {s}.forget_fact(%b, %b)".encode()
        self.forget_all = f"SELECT {s}.forget_facts(%b)".encode()
        self.history = f"""SELECT h.said FROM {s}.fact_history AS h
            JOIN {s}.facts AS f USING (owner, seq) JOIN {s}.fact_users AS u ON u.pk = owner
            WHERE u.key = %b AND f.id = %b ORDER BY h.changed""".encode()
        self.users = f"SELECT user_id FROM {s}.fact_users ORDER BY pk".encode()
        self.embed = f"""SELECT {s}.embed_facts(%b, %b::bigint, %b::bigint, %b::bigint, %b,
            %b::bigint, %b::bigint[], %b::bytea[])""".encode()


def _encode_token(token: str | None) -> bytes | None:
    return None if token is None else encode_id(token)


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
    vectors: bytes,
) -> Row:
    texts = fact_id.decode(), base.decode(), said.decode()
    return Row(seq, changed, said_at, *texts, times_seen, near.decode(), expires_at, vectors)

"""Facts in a SQLite file: each write is one piece of work inside a transaction.

Facts are ranked in the process (``stores/facts/ranking.py``) by their marks, so the file only keeps
them safe and tells what has changed: an index by user and number of change makes that quick.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from goldfish.stores.facts.backend import (
    PAGE,
    STEP,
    TOKEN_SECONDS,
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
from goldfish.stores.facts.encoding import decode_links
from goldfish.stores.retrieval.blocks import NO_MARKS, Marked
from goldfish.stores.sqlite import fact_marks, fact_names
from goldfish.stores.sqlite.fact_marks import BLOCKS
from goldfish.stores.sqlite.fact_users import (
    User,
    add,
    find_holder,
    has_facts,
    remove,
    remove_all,
    unlink,
)
from goldfish.stores.sqlite.from_thread import LanesFromThread
from goldfish.stores.sqlite.keys import decode_key, encode_key
from goldfish.stores.sqlite.lanes import SQLiteLanes
from goldfish.stores.sqlite.quick import TooManyRowsError, fetch
from goldfish.stores.sqlite.transactions import at_one_moment

_CHANGES = """SELECT seq, expires_at FROM goldfish_facts
    WHERE user = ? AND changed > ? ORDER BY changed"""
_DEADLINES = """SELECT seq, expires_at FROM goldfish_facts
    WHERE user = ? AND expires_at IS NOT NULL"""
_LIVING = "(f.expires_at IS NULL OR f.expires_at > :now)"
_ROW = """f.seq, f.changed, f.said_at, f.id, f.base, f.said, f.times_seen, f.near, f.expires_at"""
_OWNER = "(SELECT pk FROM goldfish_fact_users WHERE user_id = :user_id)"
# The numbers come first: SQLite would go through all facts of the user to compare them.
_EACH = "json_each(:seqs) AS n CROSS JOIN"
_FIND = f"""SELECT {_ROW}, EXISTS
    (SELECT 1 FROM goldfish_fact_links AS l WHERE l.user = f.user AND l.seq = f.seq)
    FROM goldfish_facts AS f
    WHERE f.user = {_OWNER} AND f.id = :id AND {_LIVING}"""
_PAGE = f"""SELECT {_ROW} FROM goldfish_facts AS f
    WHERE f.user = {_OWNER} AND {_LIVING} ORDER BY f.seq LIMIT :limit OFFSET :offset"""
_READ = f"""SELECT {_ROW} FROM {_EACH} goldfish_facts AS f
    WHERE f.user = {_OWNER} AND f.seq = n.value AND {_LIVING}"""
_AROUND = f"""SELECT l.seq, {_ROW} FROM {{}} goldfish_fact_links AS l
    CROSS JOIN goldfish_facts AS f ON f.user = l.user AND f.seq = l.other
    WHERE l.user = {_OWNER} AND l.seq {{}} AND {_LIVING}"""
_AROUND_ONE = _AROUND.format("", "= :seq")
_AROUND_SOME = _AROUND.format(_EACH, "= n.value")
_AROUND_ALL = _AROUND.format("", "BETWEEN :first AND :last")
_VECTORS = f"""SELECT f.seq, f.said_at, f.vectors FROM {_EACH} goldfish_facts AS f
    WHERE f.user = {_OWNER} AND f.seq = n.value"""
_BASES = f"SELECT seq, base FROM goldfish_facts WHERE user = {_OWNER} AND seq > :after"
_BY_ID = """SELECT seq FROM goldfish_facts
    WHERE user = ? AND id = ? AND (expires_at IS NULL OR expires_at > ?)"""
_ANY_AT_ALL = "SELECT 1 FROM goldfish_facts WHERE user = ? LIMIT 1"
_EXPIRED = "SELECT user, seq FROM goldfish_facts WHERE expires_at <= ? LIMIT 1"
_OLD_TOKEN = "SELECT pk FROM goldfish_fact_tokens WHERE noted_at < ? LIMIT 1"
_SEEN = """SELECT id FROM goldfish_fact_tokens JOIN goldfish_facts USING (user, seq)
    WHERE user = ? AND token = ? AND (expires_at IS NULL OR expires_at > ?)"""
_NOTE = """INSERT OR REPLACE INTO goldfish_fact_tokens (user, token, seq, noted_at)
    VALUES (?, ?, ?, ?)"""
_COUNT = """UPDATE goldfish_facts SET times_seen = times_seen + 1, changed = ?, expires_at = ?
    WHERE user = ? AND seq = ?"""
_KEEP_OLD = """INSERT INTO goldfish_fact_history (user, seq, changed, said)
    SELECT user, seq, :at, said FROM goldfish_facts WHERE user = :user AND id = :id"""
_REVISE = """UPDATE goldfish_facts SET changed = :at, said_at = :at, key = :key, said = :said,
    near = '[]', vectors = :vectors WHERE user = :user AND id = :id"""
_LINK = """UPDATE goldfish_facts SET near = ?, changed = ?
    WHERE user = ? AND id = ? AND said_at = ? AND near = '[]' RETURNING seq"""
_POINT = """INSERT OR IGNORE INTO goldfish_fact_links (user, seq, other)
    SELECT user, :seq, seq FROM goldfish_facts WHERE user = :user AND id = :id
    UNION ALL SELECT user, seq, :seq FROM goldfish_facts WHERE user = :user AND id = :id"""
_HISTORY = """SELECT said FROM goldfish_fact_history
    WHERE user = (SELECT pk FROM goldfish_fact_users WHERE user_id = :user)
    AND seq = (SELECT seq FROM goldfish_facts WHERE id = :id
        AND user = (SELECT pk FROM goldfish_fact_users WHERE user_id = :user)) ORDER BY changed"""
_SAID_AT = "SELECT said_at FROM goldfish_facts WHERE user = ? AND seq = ?"


class SQLiteFacts:
    """A ``FactsBackend`` in a file."""

    def __init__(self, lanes: SQLiteLanes | LanesFromThread) -> None:
        self._lanes = lanes

    async def changes(self, user_id: str, known: Known) -> Changes:
        def read(connection: sqlite3.Connection, most: int | None) -> Changes:
            with at_one_moment(connection):
                return _read_changes(connection, user_id, known, most)

        return await self._lanes.read(read)

    async def find(self, user_id: str, fact_id: str) -> Stored | None:
        values: dict[str, Any] = {"user_id": encode_key(user_id), "id": encode_key(fact_id)}

        def read(connection: sqlite3.Connection, most: int | None) -> Stored | None:
            values["now"] = time.time()
            row = connection.execute(_FIND, values).fetchone()
            if row is None or not row[-1]:
                return None if row is None else Stored(Row(*row[:-1]), [])
            with at_one_moment(connection):
                row = connection.execute(_FIND, values).fetchone()
                if row is None:
                    return None
                around = connection.execute(_AROUND_ONE, {**values, "seq": row[0]})
                return Stored(Row(*row[:-1]), [Row(*each[1:]) for each in around])

        return await self._lanes.read(read)

    async def find_named(self, user_id: str, key: str) -> Named:
        return await self._lanes.read(
            lambda connection, most: fact_names.find_named(connection, user_id, key)
        )

    async def page(self, user_id: str, offset: int, limit: int | None) -> list[Stored]:
        values: dict[str, Any] = {"user_id": encode_key(user_id), "offset": offset}
        values["limit"] = -1 if limit is None else limit

        def read(connection: sqlite3.Connection, most: int | None) -> list[Stored]:
            values["now"] = time.time()
            with at_one_moment(connection):
                rows = fetch(connection.execute(_PAGE, values), most)
                if not rows:
                    return []
                ends = {"first": rows[0][0], "last": rows[-1][0]}
                return _gather(rows, connection.execute(_AROUND_ALL, {**values, **ends}))

        return await self._lanes.read(read)

    async def read(self, user_id: str, seqs: list[int]) -> list[Stored]:
        def read(connection: sqlite3.Connection, most: int | None) -> list[Stored]:
            with at_one_moment(connection):
                return _read(connection, user_id, seqs, time.time(), most)

        return await self._lanes.read(read)

    async def read_unchanged(self, user_id: str, known: Known, seqs: list[int]) -> Unchanged | None:
        def read(connection: sqlite3.Connection, most: int | None) -> Unchanged | None:
            now = time.time()
            with at_one_moment(connection):
                user = User.find(connection, user_id)
                if user is None or user.known != known:
                    return None
                return Unchanged(now, _read(connection, user_id, seqs, now, most))

        return await self._lanes.read(read)

    async def vectors(self, user_id: str, seqs: list[int]) -> list[Vector]:
        values = {"user_id": encode_key(user_id), "seqs": json.dumps(seqs)}

        def read(connection: sqlite3.Connection, most: int | None) -> list[Vector]:
            if most is not None and len(seqs) > most:
                raise TooManyRowsError
            return [Vector(*row) for row in connection.execute(_VECTORS, values)]

        return await self._lanes.read(read)

    async def bases(self, user_id: str, after: int) -> list[tuple[int, str]]:
        values = {"user_id": encode_key(user_id), "after": after}

        def read(connection: sqlite3.Connection, most: int | None) -> list[tuple[int, str]]:
            return fetch(connection.execute(_BASES, values), most)

        return await self._lanes.read(read)

    async def remember(self, user_id: str, new: New) -> Written:
        return await self._lanes.write(lambda connection: _remember(connection, user_id, new))

    async def replace(self, user_id: str, new: New, former: Sequence[str] | None = None) -> Written:
        replace = partial(fact_names.replace, user_id=user_id, new=new, former=former)
        written, removed = await self._lanes.write(replace)
        if removed:
            self._lanes.erase_soon()
        return written

    async def revise(self, user_id: str, fact_id: str, revised: Revised) -> Written:
        return await self._lanes.write(
            lambda connection: _revise(connection, user_id, fact_id, revised)
        )

    async def link(self, user_id: str, fact_id: str, said_at: int, near: str) -> None:
        def link(connection: sqlite3.Connection) -> None:
            user = User.find(connection, user_id)
            if user is not None:
                at = user.count(connection)
                values = (near, at, user.pk, encode_key(fact_id), said_at)
                for (seq,) in connection.execute(_LINK, values).fetchall():
                    _point(connection, user.pk, seq, near)

        await self._lanes.write(link)

    async def forget(self, user_id: str, fact_id: str) -> None:
        await self._lanes.erase(lambda connection: _forget(connection, user_id, fact_id))

    async def forget_all(self, user_id: str) -> None:
        def forget_all(connection: sqlite3.Connection) -> None:
            user = User.find(connection, user_id)
            if user is not None:
                remove_all(connection, user.pk)

        await self._lanes.erase(forget_all)

    async def history(self, user_id: str, fact_id: str) -> list[str]:
        values = {"user": encode_key(user_id), "id": encode_key(fact_id)}

        def read(connection: sqlite3.Connection, most: int | None) -> list[str]:
            return [said for (said,) in connection.execute(_HISTORY, values)]

        return await self._lanes.read(read)

    async def users(self) -> list[str]:
        def read(connection: sqlite3.Connection, most: int | None) -> list[str]:
            found = connection.execute("SELECT user_id FROM goldfish_fact_users ORDER BY pk")
            return [decode_key(user_id) for (user_id,) in found]

        return await self._lanes.read(read)

    async def unmarked(self, user_id: str, after: int) -> list[Unmarked]:
        def read(connection: sqlite3.Connection, most: int | None) -> list[Unmarked]:
            if most is not None:  # not in the caller's thread: this takes a while
                raise TooManyRowsError
            with at_one_moment(connection):
                user = User.find(connection, user_id)
                return fact_marks.find_unmarked(connection, user.pk, after) if user else []

        return await self._lanes.read(read)

    async def mark(self, user_id: str, marked: list[Marked]) -> bool:
        return await self._lanes.write(lambda connection: _mark(connection, user_id, marked))

    async def embed(
        self, user_id: str, known: Known, model: str, epoch: int, vectors: list[Vector]
    ) -> bool:
        def embed(connection: sqlite3.Connection) -> bool:
            user = User.find(connection, user_id)
            if user is None or user.known != known:
                return False
            connection.executemany(
                "UPDATE goldfish_facts SET vectors = ? WHERE user = ? AND seq = ?",
                [(each.vectors, user.pk, each.seq) for each in vectors],
            )
            BLOCKS.drop_all(connection, user.pk)
            connection.execute(
                "UPDATE goldfish_fact_users SET model = ?, epoch = ?, marked = -1 WHERE pk = ?",
                (model, epoch, user.pk),
            )
            return True

        return await self._lanes.write(embed)


def _read(
    connection: sqlite3.Connection, user_id: str, seqs: list[int], now: float, most: int | None
) -> list[Stored]:
    if not seqs:
        return []
    values = {"user_id": encode_key(user_id), "seqs": json.dumps(seqs), "now": now}
    rows = fetch(connection.execute(_READ, values), most)
    return _gather(rows, connection.execute(_AROUND_SOME, values))


def _gather(rows: Iterable[Any], around: Iterable[Any]) -> list[Stored]:
    """Return facts together with those that links connect them to."""
    stored = {row[0]: Stored(Row(*row), []) for row in rows}
    for seq, *other in around:
        if seq in stored:
            stored[seq].around.append(Row(*other))
    return list(stored.values())


def _read_changes(
    connection: sqlite3.Connection, user_id: str, known: Known, most: int | None
) -> Changes:
    now = time.time()
    user = User.find(connection, user_id)
    if user is None:
        return Changes(Known(), "", now, NO_MARKS, {}, anew=True)
    if user.known == known or not user.is_marked:
        return Changes(user.known, user.model, now, NO_MARKS, {}, marked=user.is_marked)
    if known.epoch != user.known.epoch or user.known.version - known.version > PAGE:
        if most is not None and user.known.version > most:
            raise TooManyRowsError
        marks = BLOCKS.read_from(connection, user.pk)
        deadlines = dict(connection.execute(_DEADLINES, (user.pk,)))
        return Changes(user.known, user.model, now, marks, deadlines, anew=True)
    rows = connection.execute(_CHANGES, (user.pk, known.version)).fetchall()
    marks = BLOCKS.read_some(connection, user.pk, (seq for seq, _ in rows))
    deadlines = {seq: deadline for seq, deadline in rows if deadline is not None}
    alive = None
    if known.removals != user.known.removals:
        alive = fact_marks.list_all(connection, user.pk)
    return Changes(user.known, user.model, now, marks, deadlines, alive)


def _remember(connection: sqlite3.Connection, user_id: str, new: New) -> Written:
    now = time.time()
    user = User.admit(connection, user_id, new, now)
    if user.model != new.model:
        return Written("other model", user.model)
    if seen := _find_seen(connection, user, new.token, now):
        return Written("done", seen)
    found = find_holder(connection, user, new.key, now)
    at = user.count(connection)
    deadline = None if new.ttl is None else now + new.ttl
    if found is None:
        add(connection, user, at, new, deadline)
        _note(connection, user, new.token, at, now)
        row = Row(at, at, at, new.id, new.base, new.said, 1, "[]", deadline)
        known = user.known._replace(version=at)
        return Written("done", new.id, Added(known, now, user.is_marked, row))
    seq, fact_id, old, _ = found
    later = None if old is None or deadline is None else max(old, deadline)
    connection.execute(_COUNT, (at, later, user.pk, seq))
    _note(connection, user, new.token, seq, now)
    return Written("done", fact_id)


def _revise(
    connection: sqlite3.Connection, user_id: str, fact_id: str, revised: Revised
) -> Written:
    now = time.time()
    user = User.find(connection, user_id)
    own = user and connection.execute(_BY_ID, (user.pk, encode_key(fact_id), now)).fetchone()
    if user is None or own is None:
        return Written("not found", fact_id)
    if user.model != revised.model:
        return Written("other model", user.model)
    if _find_seen(connection, user, revised.token, now):
        return Written("done", fact_id)
    holder = find_holder(connection, user, revised.key, now)
    if holder is not None and holder[0] != own[0]:
        return Written("taken", holder[1])
    at = user.count(connection)
    values = {"user": user.pk, "id": fact_id, "at": at, **revised._asdict()}
    connection.execute(_KEEP_OLD, values)
    connection.execute(_REVISE, values)
    unlink(connection, user.pk, own[0])
    BLOCKS.put(connection, user.pk, [Marked(own[0], at, revised.marks)])
    _note(connection, user, revised.token, own[0], now)
    return Written("done", fact_id)


def _mark(connection: sqlite3.Connection, user_id: str, marked: list[Marked]) -> bool:
    user = User.find(connection, user_id)
    if user is None:
        return True
    for each in marked:
        row = connection.execute(_SAID_AT, (user.pk, each.seq)).fetchone()
        if row == (each.said_at,):
            BLOCKS.put(connection, user.pk, [each])
    if len(marked) == STEP or fact_marks.find_unmarked(connection, user.pk, 0):
        return False
    fact_marks.drop_stray(connection, user.pk)
    connection.execute("UPDATE goldfish_fact_users SET marked = version WHERE pk = ?", (user.pk,))
    return True


def _point(connection: sqlite3.Connection, user: int, seq: int, near: str) -> None:
    """Note where the links of a fact lead, both ways."""
    for fact_id, _ in decode_links(near):
        connection.execute(_POINT, {"user": user, "seq": seq, "id": encode_key(fact_id)})


def _find_seen(
    connection: sqlite3.Connection, user: User, token: str | None, now: float
) -> str | None:
    """Return the id of the fact that a call with this token wrote, if it is still there."""
    if token is None:
        return None
    row = connection.execute(_SEEN, (user.pk, token, now)).fetchone()
    return None if row is None else str(row[0])


def _note(
    connection: sqlite3.Connection, user: User, token: str | None, seq: int, now: float
) -> None:
    """Note the token, by which the call is known again for a while."""
    if token is not None:
        connection.execute(_NOTE, (user.pk, token, seq, now))


def _forget(connection: sqlite3.Connection, user_id: str, fact_id: str) -> None:
    now = time.time()
    user = User.find(connection, user_id)
    own = user and connection.execute(_BY_ID, (user.pk, encode_key(fact_id), now)).fetchone()
    if user is None or own is None:
        return
    remove(connection, user.pk, own[0])
    user.count(connection, removed=1)
    if not has_facts(connection, user.pk, now):
        remove_all(connection, user.pk)


def any_expired(connection: sqlite3.Connection, now: float) -> bool:
    """Return whether there is a fact whose time is over, or an old token."""
    return (
        connection.execute(_EXPIRED, (now,)).fetchone() is not None
        or connection.execute(_OLD_TOKEN, (now - TOKEN_SECONDS,)).fetchone() is not None
    )


def remove_one_expired(connection: sqlite3.Connection, now: float) -> bool:
    """Remove a fact whose time is over, or an old token; return whether there was one.

    A process that knows the fact knows its deadline, too. The last fact takes along its user.
    """
    fact = connection.execute(_EXPIRED, (now,)).fetchone()
    if fact is not None:
        user, seq = fact
        remove(connection, user, seq)
        if connection.execute(_ANY_AT_ALL, (user,)).fetchone() is None:
            remove_all(connection, user)
        return True
    token = connection.execute(_OLD_TOKEN, (now - TOKEN_SECONDS,)).fetchone()
    if token is not None:
        connection.execute("DELETE FROM goldfish_fact_tokens WHERE pk = ?", token)
    return token is not None

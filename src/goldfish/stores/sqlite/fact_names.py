"""Facts with names in a SQLite file: one is found, or replaced, by the key of its name."""

import sqlite3
import time
from collections.abc import Sequence

from goldfish.stores.facts.backend import Named, New, Row, Written
from goldfish.stores.facts.encoding import keep_birth
from goldfish.stores.facts.identity import NAMED
from goldfish.stores.sqlite.fact_users import User, add, find_holder, remove
from goldfish.stores.sqlite.keys import encode_key

_FIND = f"""SELECT EXISTS (SELECT 1 FROM goldfish_facts WHERE user = u.pk AND key < '{NAMED}'),
        f.seq, changed, said_at, id, base, said, times_seen, near, expires_at
    FROM goldfish_fact_users AS u LEFT JOIN goldfish_facts AS f
        ON user = u.pk AND key = ? AND (expires_at IS NULL OR expires_at > ?)
    WHERE user_id = ?"""
_ANY_UNNAMED = f"SELECT 1 FROM goldfish_facts WHERE user = ? AND key < '{NAMED}' LIMIT 1"
_SEQ = "SELECT seq FROM goldfish_facts WHERE user = ? AND id = ?"


def find_named(connection: sqlite3.Connection, user_id: str, key: str) -> Named:
    """Return the living fact with the key of a name."""
    found = connection.execute(_FIND, (key, time.time(), encode_key(user_id))).fetchone()
    if found is None:
        return Named(None, True)
    lacks_names, *row = found
    return Named(None if row[0] is None else Row(*row), not lacks_names)


def replace(
    connection: sqlite3.Connection, user_id: str, new: New, former: Sequence[str] | None
) -> tuple[Written, int]:
    """Store the fact, and remove those whose place it takes; return how many these were."""
    now = time.time()
    user = User.admit(connection, user_id, new, now)
    if user.model != new.model:
        return Written("other model", user.model), 0
    if former is None and connection.execute(_ANY_UNNAMED, (user.pk,)).fetchone():
        return Written("unnamed", ""), 0
    gone = set(_find_seqs(connection, user, former or ()))
    holder = find_holder(connection, user, new.key, now)
    if holder is not None:
        gone.add(holder.seq)
        new = new._replace(base=keep_birth(holder.base, new.base))
    for seq in gone:
        remove(connection, user.pk, seq)
    at = user.count(connection, removed=len(gone))
    add(connection, user, at, new, None if new.ttl is None else now + new.ttl)
    return Written("done", new.id), len(gone)


def _find_seqs(connection: sqlite3.Connection, user: User, ids: Sequence[str]) -> list[int]:
    rows = (connection.execute(_SEQ, (user.pk, encode_key(each))).fetchone() for each in ids)
    return [row[0] for row in rows if row is not None]

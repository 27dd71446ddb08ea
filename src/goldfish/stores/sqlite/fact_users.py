"""The users of facts in a SQLite file, and how their facts come and go."""

import sqlite3
from typing import NamedTuple

from goldfish.stores.facts.backend import Known, New
from goldfish.stores.retrieval.blocks import Marked
from goldfish.stores.sqlite.fact_marks import BLOCKS
from goldfish.stores.sqlite.keys import encode_key

_USER = """SELECT pk, epoch, version, removals, model, marked FROM goldfish_fact_users
    WHERE user_id = ?"""
_CHANGE = "UPDATE goldfish_fact_users SET version = ?, marked = ?, removals = ? WHERE pk = ?"
_BY_KEY = "SELECT seq, id, expires_at, base FROM goldfish_facts WHERE user = ? AND key = ?"
_ANY = """SELECT 1 FROM goldfish_facts
    WHERE user = ? AND (expires_at IS NULL OR expires_at > ?) LIMIT 1"""
_ADD = """INSERT INTO goldfish_facts
    (user, seq, changed, said_at, id, key, base, said, expires_at, vectors)
    VALUES (:user, :at, :at, :at, :id, :key, :base, :said, :deadline, :vectors)"""
_UNLINK = (
    """DELETE FROM goldfish_fact_links WHERE user = :user AND (seq, other) IN
        (SELECT other, seq FROM goldfish_fact_links WHERE user = :user AND seq = :seq)""",
    "DELETE FROM goldfish_fact_links WHERE user = :user AND seq = :seq",
)
_REMOVE = (
    "DELETE FROM goldfish_facts WHERE user = ? AND seq = ?",
    "DELETE FROM goldfish_fact_history WHERE user = ? AND seq = ?",
    "DELETE FROM goldfish_fact_tokens WHERE user = ? AND seq = ?",
)
_REMOVE_ALL = (
    "DELETE FROM goldfish_facts WHERE user = ?",
    "DELETE FROM goldfish_fact_history WHERE user = ?",
    "DELETE FROM goldfish_fact_tokens WHERE user = ?",
    "DELETE FROM goldfish_fact_links WHERE user = ?",
    "DELETE FROM goldfish_fact_users WHERE pk = ?",
)


class Holder(NamedTuple):
    """The fact that has a key."""

    seq: int
    id: str
    expires_at: float | None
    base: str


class User(NamedTuple):
    """Whose facts they are, and how often they have changed."""

    pk: int
    known: Known
    model: str
    marked: int

    @classmethod
    def find(cls, connection: sqlite3.Connection, user_id: str) -> "User | None":
        """Return the user, if they have facts."""
        row = connection.execute(_USER, (encode_key(user_id),)).fetchone()
        return None if row is None else cls(row[0], Known(*row[1:4]), *row[4:])

    @classmethod
    def admit(cls, connection: sqlite3.Connection, user_id: str, new: New, now: float) -> "User":
        """Return the user as one who may get the fact; of another model only if facts live."""
        user = cls.find(connection, user_id)
        if user is not None and user.model != new.model and not has_facts(connection, user.pk, now):
            remove_all(connection, user.pk)
            user = None
        return user or _begin(connection, user_id, new)

    @property
    def is_marked(self) -> bool:
        """Whether every fact has its marks: whoever did not write them raised the counter alone."""
        return self.marked == self.known.version

    def count(self, connection: sqlite3.Connection, *, removed: int = 0) -> int:
        """Return the number of the next change, in which so many facts are removed."""
        at = self.known.version + 1
        marked = at if self.is_marked else self.marked
        connection.execute(_CHANGE, (at, marked, self.known.removals + removed, self.pk))
        return at


def add(
    connection: sqlite3.Connection, user: User, at: int, new: New, deadline: float | None
) -> None:
    """Store a fact with its marks as the change of this number."""
    connection.execute(_ADD, {"user": user.pk, "at": at, "deadline": deadline, **new._asdict()})
    BLOCKS.put(connection, user.pk, [Marked(at, at, new.marks)])


def unlink(connection: sqlite3.Connection, user: int, seq: int) -> None:
    """Drop the links of a fact, both ways."""
    for statement in _UNLINK:
        connection.execute(statement, {"user": user, "seq": seq})


def _begin(connection: sqlite3.Connection, user_id: str, new: New) -> User:
    cursor = connection.execute(
        "INSERT INTO goldfish_fact_users (user_id, epoch, model, marked) VALUES (?, ?, ?, 0)",
        (encode_key(user_id), new.epoch, new.model),
    )
    return User(int(cursor.lastrowid or 0), Known(new.epoch), new.model, 0)


def find_holder(
    connection: sqlite3.Connection, user: User, fact_key: str, now: float
) -> Holder | None:
    """Return the fact that has the key; remove an expired one."""
    row = connection.execute(_BY_KEY, (user.pk, fact_key)).fetchone()
    if row is None:
        return None
    found = Holder(*row)
    if found.expires_at is None or found.expires_at > now:
        return found
    remove(connection, user.pk, found.seq)
    return None


def has_facts(connection: sqlite3.Connection, user: int, now: float) -> bool:
    """Return whether the user has a fact whose time is not over."""
    return connection.execute(_ANY, (user, now)).fetchone() is not None


def remove(connection: sqlite3.Connection, user: int, seq: int) -> None:
    """Remove a fact."""
    for statement in _REMOVE:
        connection.execute(statement, (user, seq))
    unlink(connection, user, seq)
    BLOCKS.drop(connection, user, [seq])


def remove_all(connection: sqlite3.Connection, user: int) -> None:
    """Remove all facts of a user, and the user."""
    for statement in _REMOVE_ALL:
        connection.execute(statement, (user,))
    BLOCKS.drop_all(connection, user)

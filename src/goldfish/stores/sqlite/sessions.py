"""The sessions in a SQLite file: finding, beginning and emptying one without harm to snapshots.

A snapshot copies nothing. It has a number that grows, and the newest place of its session: its
``top``. It shows each message up to there that has been alive since; most messages are never
removed, and nothing is written about them. Of the others ``goldfish_lives`` tells when they came
and went: a life is shown by the snapshots with ``born < number <= died``. What is removed while a
snapshot shows it moves to ``goldfish_archive``, once, whatever the number of snapshots; when a
rollback brings it back it takes its old place, and begins another life.
"""

import sqlite3
from typing import NamedTuple

from goldfish.stores.sqlite import search, state
from goldfish.stores.sqlite.keys import Key

ALIVE = 1 << 62  # the end of a life that has not ended
PIECE = 20  # messages of an expired session that go in one piece

_FIND = """SELECT pk, expires_at, (SELECT max(place) FROM goldfish_messages
        WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1), snapshot, top, kept_top
    FROM goldfish_sessions WHERE session_id = ?"""
_EXPIRED = """SELECT pk, expires_at, NULL, snapshot, top, kept_top
    FROM goldfish_sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT 1"""
_END_OF_PIECE = f"""SELECT place FROM (
        SELECT place FROM goldfish_messages WHERE place BETWEEN :first AND :last
        UNION SELECT place FROM goldfish_kept WHERE place BETWEEN :first AND :last
    ) ORDER BY place LIMIT 1 OFFSET {PIECE - 1}"""
_BEGIN = "INSERT INTO goldfish_sessions (session_id, epoch) VALUES (?, random())"
_END = "UPDATE goldfish_sessions SET expires_at = NULL, token = NULL WHERE pk = ?"
_REMOVE = "DELETE FROM goldfish_messages WHERE place BETWEEN ? AND ?"

# What happens to the lives of messages that go, while the newest snapshot is :snapshot. First those
# that nothing is written about yet; then those that came back and have been saved again since; what
# has not been saved again leaves no trace.
_SET_ASIDE = (
    """INSERT INTO goldfish_lives (place, born, session, died)
        SELECT place, 0, session, :snapshot FROM goldfish_messages AS message
        WHERE place BETWEEN :first AND min(:last, :top)
        AND NOT EXISTS (SELECT 1 FROM goldfish_lives WHERE place = message.place)""",
    """UPDATE goldfish_lives SET died = :snapshot
        WHERE place BETWEEN :first AND :last AND died = :alive AND born < :snapshot""",
    "DELETE FROM goldfish_lives WHERE place BETWEEN :first AND :last AND died = :alive",
    """INSERT INTO goldfish_archive (place, id, body)
        SELECT place, id, body FROM goldfish_messages AS message
        WHERE place BETWEEN :first AND :last
        AND EXISTS (SELECT 1 FROM goldfish_lives WHERE place = message.place)""",
)


class Session(NamedTuple):
    """The row of a session, and the place of its newest message."""

    pk: int
    expires_at: float | None = None
    newest: int | None = None
    snapshot: int | None = None  # the number of its newest snapshot
    top: int | None = None  # and the newest place that this one may show
    kept_top: int | None = None  # the newest place of a trimmed message that searches still find

    @property
    def end(self) -> int:
        """The place after which the next message goes, beyond all that snapshots may show."""
        return max(self.newest or self.pk << 32, self.top or 0, self.kept_top or 0)

    @property
    def last(self) -> int:
        """The place up to which searches may find something."""
        return max(self.newest or self.pk << 32, self.kept_top or 0)

    @property
    def places(self) -> tuple[int, int]:
        """The first and the last place that the session's messages may take."""
        return self.pk << 32, (self.pk + 1 << 32) - 1


def find(connection: sqlite3.Connection, key: Key) -> Session | None:
    """Return the session, also one that has expired."""
    row = connection.execute(_FIND, (key,)).fetchone()
    return None if row is None else Session(*row)


def find_living(connection: sqlite3.Connection, key: Key, now: float) -> Session | None:
    """Return the session; an expired one is emptied here, for this is a write."""
    session = find(connection, key)
    if session is None or session.expires_at is None or session.expires_at > now:
        return session
    empty(connection, session)
    if session.snapshot is None:
        return None
    return session._replace(expires_at=None, newest=None, kept_top=None)


def find_or_begin(connection: sqlite3.Connection, key: Key, now: float) -> Session:
    """Return the session, or a new one if there is none or it has expired."""
    return find_living(connection, key, now) or begin(connection, key)


def begin(connection: sqlite3.Connection, key: Key) -> Session:
    """Add a session, and return it."""
    cursor = connection.execute(_BEGIN, (key,))
    return Session(int(cursor.lastrowid or 0))


def is_empty(connection: sqlite3.Connection, session: Session) -> bool:
    """Return whether the session has neither messages nor state."""
    return session.newest is None and not state.has_values(connection, session.pk)


def any_expired(connection: sqlite3.Connection, now: float) -> bool:
    """Return whether there is a session whose time is over."""
    return connection.execute(_EXPIRED, (now,)).fetchone() is not None


def remove_one_expired(connection: sqlite3.Connection, now: float) -> bool:
    """Remove a session whose time is over, or a piece of a long one; return whether it did."""
    row = connection.execute(_EXPIRED, (now,)).fetchone()
    if row is None:
        return False
    session = Session(*row)
    first, last = session.places
    end = connection.execute(_END_OF_PIECE, {"first": first, "last": last}).fetchone()
    if end is None:
        empty(connection, session)
        return True
    set_deadline(connection, session, 0.0)  # however the clock is set: a torn session is over
    search.drop_kept_until(connection, session.pk, *end)
    remove(connection, session, first, *end)
    return True


def remove(
    connection: sqlite3.Connection, session: Session, first: int, last: int, *, keep: bool = False
) -> int:
    """Remove the messages in these places, keeping what snapshots show; return how many went.

    With ``keep`` searches find them as before.
    """
    if keep:
        search.keep(connection, session.pk, first, last)
    if session.snapshot is not None:
        values = {
            "first": first,
            "last": last,
            "snapshot": session.snapshot,
            "top": session.top,
            "alive": ALIVE,
        }
        for statement in _SET_ASIDE:
            connection.execute(statement, values)
    removed = connection.execute(_REMOVE, (first, last)).rowcount
    if not keep:
        search.forget(connection, session.pk, first, last)
    return removed


def empty(connection: sqlite3.Connection, session: Session) -> None:
    """Remove what the session holds and its deadline, and itself unless it has snapshots."""
    if session.kept_top is not None:
        search.drop_kept(connection, session.pk)
    remove(connection, session, *session.places)
    state.forget(connection, session.pk)
    if session.snapshot is None:
        connection.execute("DELETE FROM goldfish_sessions WHERE pk = ?", (session.pk,))
    else:
        connection.execute(_END, (session.pk,))


def set_deadline(connection: sqlite3.Connection, session: Session, moment: float | None) -> None:
    """Let the session end at this moment, or never."""
    connection.execute(
        "UPDATE goldfish_sessions SET expires_at = ? WHERE pk = ?", (moment, session.pk)
    )

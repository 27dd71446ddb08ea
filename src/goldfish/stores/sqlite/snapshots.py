"""Snapshots in a SQLite file: each function is one piece of work inside a transaction.

``sessions`` explains what a snapshot shows, and why saving one copies nothing.
"""

import sqlite3
import time
from datetime import UTC, datetime
from typing import Any, NamedTuple

from goldfish.messages import Snapshot
from goldfish.stores.base import Forked
from goldfish.stores.sqlite import search, sessions, state
from goldfish.stores.sqlite.keys import Key, decode_key, encode_key
from goldfish.stores.sqlite.quick import TooManyRowsError
from goldfish.stores.sqlite.sessions import ALIVE, Session

_SAVE = """INSERT INTO goldfish_snapshots (session, id, label, created_at, top, seconds_left)
    VALUES (?, ?, ?, ?, ?, ?)"""
_FIND = """SELECT number, top, seconds_left FROM goldfish_snapshots
    WHERE id = ? AND session = (SELECT pk FROM goldfish_sessions WHERE session_id = ?)"""
_BEFORE = """SELECT number, top, seconds_left FROM goldfish_snapshots
    WHERE session = ? AND number < ? ORDER BY number DESC LIMIT 1"""
_AFTER = "SELECT min(number) FROM goldfish_snapshots WHERE session = ? AND number > ?"

# The places of messages that the snapshot shows by a life that has ended.
_GONE_SINCE = """SELECT place FROM goldfish_lives WHERE session = :session
    AND died >= :number AND died < :alive AND born < :number AND place <= :top"""
# The places of messages that came back since, and were not there when it was saved.
_CAME_BACK_SINCE = f"""SELECT place FROM goldfish_lives WHERE session = :session
    AND died = :alive AND born >= :number AND place <= :top AND place NOT IN ({_GONE_SINCE})
    ORDER BY place"""
_BRING_BACK = (
    f"""INSERT INTO goldfish_messages (place, session, id, body)
        SELECT place, :session, id, body FROM goldfish_archive WHERE place IN ({_GONE_SINCE})""",
    f"""INSERT INTO goldfish_lives (place, born, session, died)
        SELECT place, :newest, :session, :alive FROM goldfish_archive
        WHERE place IN ({_GONE_SINCE})""",
    f"DELETE FROM goldfish_archive WHERE place IN ({_GONE_SINCE})",
)
_COPY = f"""INSERT INTO goldfish_messages (place, session, id, body)
    SELECT :end + row_number() OVER (ORDER BY place), :into, id, body FROM (
        SELECT place, id, body FROM goldfish_messages AS message
            WHERE place BETWEEN :session << 32 AND :top AND NOT EXISTS (SELECT 1
                FROM goldfish_lives
                WHERE place = message.place AND died = :alive AND born >= :number)
        UNION ALL SELECT place, id, body FROM goldfish_messages WHERE place IN ({_GONE_SINCE})
        UNION ALL SELECT place, id, body FROM goldfish_archive WHERE place IN ({_GONE_SINCE}))"""

# Lives that no other snapshot shows: they ended before the next one, and began after the one before
# (or in a place beyond it).
_ONLY_HERE = """died >= :number AND died < :after
    AND NOT (born < :before AND place <= :top_before)"""
_FORGET = (
    f"""DELETE FROM goldfish_archive
        WHERE place IN (SELECT place FROM goldfish_lives
            WHERE session = :session AND {_ONLY_HERE})
        AND NOT EXISTS (SELECT 1 FROM goldfish_lives
            WHERE place = goldfish_archive.place AND NOT ({_ONLY_HERE}))""",
    f"DELETE FROM goldfish_lives WHERE session = :session AND {_ONLY_HERE}",
    "DELETE FROM goldfish_snapshots WHERE number = :number",
)
_FORGET_ALL = (
    "DELETE FROM goldfish_lives WHERE session = :session",
    "DELETE FROM goldfish_archive WHERE place BETWEEN :first AND :last",
    "DELETE FROM goldfish_snapshots WHERE session = :session",
)

# Messages are counted when somebody asks: counting them when a snapshot is saved would make saving
# depend on the length of the history. Each message is counted once, at the first snapshot whose
# top is beyond it; lives that ended or began later correct the sum.
_LIST = """WITH saved AS (
        SELECT *, coalesce(lag(top) OVER (ORDER BY number), session << 32) AS top_before
        FROM goldfish_snapshots
        WHERE session = (SELECT pk FROM goldfish_sessions WHERE session_id = :key)
    ), counted AS (
        SELECT *, (SELECT count(*) FROM goldfish_messages
            WHERE place > top_before AND place <= top) AS added FROM saved
    )
    SELECT id, label, created_at, sum(added) OVER (ORDER BY number)
        - (SELECT count(*) FROM goldfish_lives WHERE session = counted.session
            AND died = :alive AND born >= number AND place <= top)
        + (SELECT count(*) FROM goldfish_lives WHERE session = counted.session
            AND died >= number AND died < :alive AND born < number AND place <= top)
    FROM counted ORDER BY number"""


class _Saved(NamedTuple):
    number: int
    top: int
    seconds_left: float | None


def save(
    connection: sqlite3.Connection,
    session_id: str,
    snapshot_id: str,
    label: str | None,
    created_at: float,
) -> None:
    """Save the state of the session, which may be empty.

    An id that the session has stays what it is: the call is repeated.
    """
    key, now = encode_key(session_id), time.time()
    if _find(connection, key, snapshot_id) is not None:
        return
    session = sessions.find_or_begin(connection, key, now)
    note = None if label is None else encode_key(label)
    left = None if session.expires_at is None else session.expires_at - now
    row = (session.pk, snapshot_id, note, created_at, session.end, left)
    number = int(connection.execute(_SAVE, row).lastrowid or 0)
    state.save(connection, session.pk, number)
    _set_newest(connection, session, number, session.end)


def rollback(connection: sqlite3.Connection, session_id: str, snapshot_id: str) -> bool:
    """Restore the state of the session; return whether there is such a snapshot."""
    key, now = encode_key(session_id), time.time()
    saved = _find(connection, key, snapshot_id)
    session = sessions.find_living(connection, key, now) if saved else None
    if saved is None or session is None:
        return False
    values = _values(session, saved)
    sessions.remove(connection, session, saved.top + 1, session.places[1])
    doomed = connection.execute(_CAME_BACK_SINCE, values).fetchall()
    for first, last in _runs([place for (place,) in doomed]):
        sessions.remove(connection, session, first, last)
    for statement in _BRING_BACK:
        connection.execute(statement, values)
    if session.kept_top is not None:
        search.drop_returned(connection, session.pk)
    search.unmark(connection, session.pk)
    state.restore(connection, session.pk, saved.number)
    _restore_deadline(connection, session, saved, now)
    return True


def read_all(connection: sqlite3.Connection, session_id: str, most: int | None) -> list[Snapshot]:
    """Return the session's snapshots, oldest first."""
    if most is not None:  # counting may take a while: not in the caller's thread
        raise TooManyRowsError
    rows = connection.execute(_LIST, {"key": encode_key(session_id), "alive": ALIVE})
    return [
        Snapshot(
            id=snapshot_id,
            session_id=session_id,
            label=None if label is None else decode_key(label),
            created_at=datetime.fromtimestamp(created_at, UTC),
            message_count=count,
        )
        for snapshot_id, label, created_at, count in rows
    ]


def delete(connection: sqlite3.Connection, session_id: str, snapshot_id: str) -> None:
    """Remove a snapshot, and the messages that only this one shows."""
    key = encode_key(session_id)
    saved = _find(connection, key, snapshot_id)
    session = sessions.find(connection, key) if saved else None
    if saved is None or session is None:
        return
    row = connection.execute(_BEFORE, (session.pk, saved.number)).fetchone()
    before = _Saved(*row) if row else None
    (after,) = connection.execute(_AFTER, (session.pk, saved.number)).fetchone()
    if before is None and after is None:
        _delete_last(connection, session)
        return
    values = _values(session, saved) | {
        "after": after or ALIVE,
        "before": before.number if before else 0,
        "top_before": before.top if before else 0,
    }
    state.forget_saved(connection, session.pk, saved.number)
    for statement in _FORGET:
        connection.execute(statement, values)
    search.forget(connection, session.pk, *session.places)
    if before and after is None:
        _set_newest(connection, session, before.number, before.top)


def delete_all(connection: sqlite3.Connection, session: Session) -> Session:
    """Remove the session's snapshots and all that only they show; return what is left of it."""
    first, last = session.places
    state.forget_saved(connection, session.pk)
    for statement in _FORGET_ALL:
        connection.execute(statement, {"session": session.pk, "first": first, "last": last})
    search.forget(connection, session.pk, first, last)
    _set_newest(connection, session, None, None)
    return session._replace(snapshot=None, top=None)


def clear_session(connection: sqlite3.Connection, session_id: str, with_snapshots: bool) -> None:
    """Remove what the session holds and its deadline, and its snapshots if asked to."""
    session = sessions.find(connection, encode_key(session_id))
    if session is not None and session.snapshot is not None and with_snapshots:
        session = delete_all(connection, session)
    if session is not None:
        sessions.empty(connection, session)


def fork(
    connection: sqlite3.Connection,
    session_id: str,
    snapshot_id: str,
    new_session_id: str,
    token: str | None,
) -> Forked:
    """Copy what a snapshot shows into a session that has neither messages nor state."""
    key, new_key, now = encode_key(session_id), encode_key(new_session_id), time.time()
    new = sessions.find_living(connection, new_key, now)
    if new is not None and token is not None and _read_token(connection, new) == token:
        return "done"
    saved = _find(connection, key, snapshot_id)
    session = sessions.find(connection, key)
    if saved is None or session is None:
        return "not found"
    if new is not None and not sessions.is_empty(connection, new):
        return "not empty"
    new = new or sessions.begin(connection, new_key)
    connection.execute(_COPY, _values(session, saved) | {"into": new.pk, "end": new.end})
    connection.execute("UPDATE goldfish_sessions SET token = ? WHERE pk = ?", (token, new.pk))
    search.copy_vectors(connection, session.pk, new.pk)
    search.drop_returned(connection, new.pk)
    state.restore(connection, new.pk, saved.number)
    _restore_deadline(connection, new, saved, now)
    return "done"


def _read_token(connection: sqlite3.Connection, session: Session) -> str | None:
    found = connection.execute("SELECT token FROM goldfish_sessions WHERE pk = ?", (session.pk,))
    (token,) = found.fetchone()
    return None if token is None else str(token)


def _find(connection: sqlite3.Connection, key: Key, snapshot_id: str) -> _Saved | None:
    row = connection.execute(_FIND, (encode_key(snapshot_id), key)).fetchone()
    return None if row is None else _Saved(*row)


def _values(session: Session, saved: _Saved) -> dict[str, Any]:
    return {
        "session": session.pk,
        "newest": session.snapshot,
        "number": saved.number,
        "top": saved.top,
        "alive": ALIVE,
    }


def _runs(places: list[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of places without a gap."""
    runs: list[tuple[int, int]] = []
    for place in places:
        follows = bool(runs) and runs[-1][1] == place - 1
        first = runs.pop()[0] if follows else place
        runs.append((first, place))
    return runs


def _set_newest(
    connection: sqlite3.Connection, session: Session, number: int | None, top: int | None
) -> None:
    connection.execute(
        "UPDATE goldfish_sessions SET snapshot = ?, top = ? WHERE pk = ?",
        (number, top, session.pk),
    )


def _delete_last(connection: sqlite3.Connection, session: Session) -> None:
    left = delete_all(connection, session)
    if left.expires_at is None and left.kept_top is None and sessions.is_empty(connection, left):
        sessions.empty(connection, left)


def _restore_deadline(
    connection: sqlite3.Connection, session: Session, saved: _Saved, now: float
) -> None:
    left = saved.seconds_left
    sessions.set_deadline(connection, session, None if left is None else now + left)

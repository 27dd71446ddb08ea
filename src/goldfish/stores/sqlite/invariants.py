"""The invariants of a SQLite file, as statements that count the rows that break them.

Repairing loses nothing: what can be computed again is, what nobody can reach any more is removed,
and messages whose session is missing get one under a new name.
"""

from typing import NamedTuple

from goldfish.stores.sqlite.sessions import ALIVE

RESTORE = "restore the file from a backup"
REPAIR = "mend it by examine(repair=True)"


class Invariant(NamedTuple):
    """One thing that always holds in a sound file."""

    subject: str
    wrong: str  # selects one number: how often it does not hold
    detail: str  # follows that number
    repair: tuple[str, ...] = ()

    @property
    def advice(self) -> str:
        """What to do if it does not hold."""
        return REPAIR if self.repair else RESTORE


def _no_rows(table: str, condition: str, subject: str, detail: str) -> Invariant:
    """Return the invariant that there are no such rows; nobody can reach them, so they may go."""
    return Invariant(
        subject,
        f"SELECT count(*) FROM {table} WHERE {condition}",
        detail,
        (f"DELETE FROM {table} WHERE {condition}",),
    )


_WITHOUT_SESSION = """SELECT session FROM goldfish_messages
    UNION SELECT session FROM goldfish_state UNION SELECT session FROM goldfish_snapshots
    UNION SELECT session FROM goldfish_lives UNION SELECT place >> 32 FROM goldfish_archive
    UNION SELECT place >> 32 FROM goldfish_kept EXCEPT SELECT pk FROM goldfish_sessions"""
_NEWEST_SNAPSHOT = """SELECT session, max(number) AS number, top
    FROM goldfish_snapshots GROUP BY session"""
_MISCOUNTED = f"""SELECT pk FROM goldfish_sessions LEFT JOIN ({_NEWEST_SNAPSHOT}) AS newest
    ON newest.session = pk
    WHERE snapshot IS NOT newest.number OR goldfish_sessions.top IS NOT newest.top"""
_KEPT_BEYOND = """SELECT pk FROM goldfish_sessions WHERE EXISTS (SELECT 1 FROM goldfish_kept
    WHERE place > coalesce(kept_top, -1) AND place BETWEEN pk << 32 AND (pk + 1 << 32) - 1)"""
_NO_MESSAGE = """place NOT IN (SELECT place FROM goldfish_messages)
    AND place NOT IN (SELECT place FROM goldfish_archive)"""
_DAMAGED = "length(vectors) % 4 <> 0 OR NOT EXISTS (SELECT 1 FROM goldfish_search_model)"
_OF_SESSION = "BETWEEN goldfish_sessions.pk << 32 AND (goldfish_sessions.pk + 1 << 32) - 1"
_UNSEARCHABLE = f"""SELECT pk FROM goldfish_sessions WHERE marked_epoch = epoch
    AND (SELECT count(*) FROM goldfish_messages WHERE place {_OF_SESSION} AND place <= marked_to)
    + (SELECT count(*) FROM goldfish_kept WHERE place {_OF_SESSION} AND place <= marked_to) <>
    (SELECT coalesce(sum(length(directory)), 0) / 24 FROM goldfish_search_blocks
        WHERE place {_OF_SESSION}) AND marked_to >= max(
        coalesce((SELECT max(place) FROM goldfish_messages WHERE place {_OF_SESSION}), 0),
        coalesce((SELECT max(place) FROM goldfish_kept WHERE place {_OF_SESSION}), 0))"""
_NO_FACT = """NOT EXISTS (SELECT 1 FROM goldfish_facts
    WHERE goldfish_facts.user = {0}.user AND goldfish_facts.seq = {0}.seq)"""
_LATE = """SELECT pk FROM goldfish_fact_users WHERE version <
    (SELECT max(changed) FROM goldfish_facts WHERE user = goldfish_fact_users.pk)"""
_OF_USER = "BETWEEN goldfish_fact_users.pk << 32 AND (goldfish_fact_users.pk + 1 << 32) - 1"
_UNFINDABLE = f"""SELECT pk FROM goldfish_fact_users WHERE marked = version
    AND (SELECT count(*) FROM goldfish_facts WHERE user = goldfish_fact_users.pk) <>
    (SELECT coalesce(sum(length(directory)), 0) / 24 FROM goldfish_fact_blocks
        WHERE place {_OF_USER})"""

# In this order: a session that is put back may have to be counted anew.
INVARIANTS = (
    Invariant(
        "sessions",
        f"SELECT count(*) FROM ({_WITHOUT_SESSION})",
        "sessions are missing that have messages, state or snapshots",
        (
            f"""INSERT INTO goldfish_sessions (pk, session_id, epoch)
            SELECT session, 'recovered-' || lower(hex(randomblob(8))), random()
            FROM ({_WITHOUT_SESSION})""",
        ),
    ),
    Invariant(
        "places",
        "SELECT count(*) FROM goldfish_messages WHERE place >> 32 <> session",
        "messages are in a place of another session",
    ),
    Invariant(
        "newest snapshots",
        f"SELECT count(*) FROM ({_MISCOUNTED})",
        "sessions do not know their newest snapshot",
        (
            f"""UPDATE goldfish_sessions SET
            snapshot = (SELECT max(number) FROM goldfish_snapshots WHERE session = pk),
            top = (SELECT top FROM goldfish_snapshots WHERE session = pk
                ORDER BY number DESC LIMIT 1)
            WHERE pk IN ({_MISCOUNTED})""",
        ),
    ),
    Invariant(
        "snapshots",
        """SELECT count(*) FROM goldfish_snapshots
            WHERE top NOT BETWEEN session << 32 AND (session + 1 << 32) - 1""",
        "snapshots end in a place of another session",
    ),
    Invariant(
        "messages in snapshots",
        f"SELECT count(DISTINCT place) FROM goldfish_lives WHERE {_NO_MESSAGE}",
        "messages are missing that a snapshot shows",
    ),
    Invariant(
        "returned messages",
        f"""SELECT count(*) FROM goldfish_lives WHERE died = {ALIVE}
            AND place NOT IN (SELECT place FROM goldfish_messages)""",
        "messages are missing that a rollback brought back",
    ),
    _no_rows(
        "goldfish_archive",
        "place NOT IN (SELECT place FROM goldfish_lives)",
        "messages set aside",
        "messages were set aside for snapshots that are gone",
    ),
    _no_rows(
        "goldfish_saved_state",
        "snapshot NOT IN (SELECT number FROM goldfish_snapshots)",
        "state in snapshots",
        "values belong to snapshots that are gone",
    ),
    Invariant(
        "trimmed messages",
        f"SELECT count(*) FROM ({_KEPT_BEYOND})",
        "sessions do not know their newest trimmed message",
        (
            f"""UPDATE goldfish_sessions SET kept_top = (SELECT max(place) FROM goldfish_kept
            WHERE place BETWEEN pk << 32 AND (pk + 1 << 32) - 1) WHERE pk IN ({_KEPT_BEYOND})""",
        ),
    ),
    # Vectors of messages are made again by the next search.
    _no_rows(
        "goldfish_vectors",
        f"{_NO_MESSAGE} AND place NOT IN (SELECT place FROM goldfish_kept)",
        "search rows",
        "vectors belong to messages that are gone",
    ),
    Invariant(
        "search vectors",
        f"SELECT count(*) FROM goldfish_vectors WHERE {_DAMAGED}",
        "vectors are cut off, or are those of no known model",
        (
            f"DELETE FROM goldfish_vectors WHERE {_DAMAGED}",
            "DELETE FROM goldfish_search_blocks",
            "UPDATE goldfish_sessions SET epoch = random(), marked_epoch = NULL",
        ),
    ),
    # So are marks, which are made of vectors.
    Invariant(
        "search marks",
        f"SELECT count(*) FROM ({_UNSEARCHABLE})",
        "sessions have messages that cannot be found, or find messages that are gone",
        (f"UPDATE goldfish_sessions SET marked_epoch = NULL WHERE pk IN ({_UNSEARCHABLE})",),
    ),
    _no_rows(
        "goldfish_search_blocks",
        "place >> 32 NOT IN (SELECT pk FROM goldfish_sessions)",
        "search blocks",
        "blocks of marks belong to sessions that are gone",
    ),
    Invariant(
        "facts",
        """SELECT count(*) FROM goldfish_facts
            WHERE user NOT IN (SELECT pk FROM goldfish_fact_users)""",
        "facts belong to users that are missing",
    ),
    Invariant(
        "fact vectors",
        "SELECT count(*) FROM goldfish_facts WHERE length(vectors) % 4 <> 0",
        "facts have vectors that are cut off",
    ),
    Invariant(
        "fact counters",
        f"SELECT count(*) FROM ({_LATE})",
        "users have facts that are newer than their counter",
        (
            f"""UPDATE goldfish_fact_users SET version = (SELECT max(changed) FROM goldfish_facts
            WHERE user = goldfish_fact_users.pk) WHERE pk IN ({_LATE})""",
        ),
    ),
    # The marks of facts are made again by the next recall.
    Invariant(
        "fact marks",
        f"SELECT count(*) FROM ({_UNFINDABLE})",
        "users have facts that cannot be found, or find facts that are gone",
        (f"UPDATE goldfish_fact_users SET marked = -1 WHERE pk IN ({_UNFINDABLE})",),
    ),
    _no_rows(
        "goldfish_fact_blocks",
        "place >> 32 NOT IN (SELECT pk FROM goldfish_fact_users)",
        "fact blocks",
        "blocks of marks belong to users that are gone",
    ),
    _no_rows(
        "goldfish_fact_links",
        _NO_FACT.format("goldfish_fact_links"),
        "fact links",
        "links belong to facts that are gone",
    ),
    _no_rows(
        "goldfish_fact_history",
        _NO_FACT.format("goldfish_fact_history"),
        "fact history",
        "old texts belong to facts that are gone",
    ),
    _no_rows(
        "goldfish_fact_tokens",
        _NO_FACT.format("goldfish_fact_tokens"),
        "fact tokens",
        "tokens belong to facts that are gone",
    ),
)

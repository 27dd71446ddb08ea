"""The tables of a SQLite file, as the migrations that make them: one tuple for each version.

The tables carry our name and the version has a table of its own, so that the memory may live in a
file that belongs to an application (whose ``user_version`` is not ours to use).
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from goldfish.errors import SchemaTooNewError
from goldfish.stores.sqlite.jobs import LOGGER
from goldfish.stores.sqlite.transactions import in_transaction

Statements = tuple[str, ...]

_MESSAGES: Statements = (
    """CREATE TABLE goldfish_sessions (
        pk INTEGER PRIMARY KEY,
        session_id NOT NULL UNIQUE,
        expires_at REAL
    )""",
    """CREATE INDEX goldfish_sessions_expiring
        ON goldfish_sessions (expires_at) WHERE expires_at IS NOT NULL""",
    # place = session * 2**32 + position: the rows of a session lie side by side, in order,
    # in the table itself, so that an append touches one page here and one of the index.
    """CREATE TABLE goldfish_messages (
        place INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        id NOT NULL,
        body TEXT NOT NULL
    )""",
    # Our ids grow with time: with the id first, new entries share the index's last page.
    "CREATE UNIQUE INDEX goldfish_messages_by_id ON goldfish_messages (id, session)",
)

# ``sessions`` explains what snapshots show.
_SNAPSHOTS: Statements = (
    "ALTER TABLE goldfish_sessions ADD COLUMN snapshot INTEGER",
    "ALTER TABLE goldfish_sessions ADD COLUMN top INTEGER",
    # A number is never used again, not even that of a deleted snapshot.
    """CREATE TABLE goldfish_snapshots (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL,
        id TEXT NOT NULL UNIQUE,
        label,
        created_at REAL NOT NULL,
        top INTEGER NOT NULL,
        seconds_left REAL
    )""",
    "CREATE INDEX goldfish_snapshots_by_session ON goldfish_snapshots (session, number)",
    """CREATE TABLE goldfish_lives (
        place INTEGER NOT NULL,
        born INTEGER NOT NULL,
        session INTEGER NOT NULL,
        died INTEGER NOT NULL,
        PRIMARY KEY (place, born)
    ) WITHOUT ROWID""",
    "CREATE INDEX goldfish_lives_by_end ON goldfish_lives (session, died)",
    """CREATE TABLE goldfish_archive (
        place INTEGER PRIMARY KEY,
        id NOT NULL,
        body TEXT NOT NULL
    )""",
)
_FACTS: Statements = (
    """CREATE TABLE goldfish_fact_users (
        pk INTEGER PRIMARY KEY,
        user_id NOT NULL UNIQUE,
        epoch INTEGER NOT NULL,
        version INTEGER NOT NULL DEFAULT 0,
        removals INTEGER NOT NULL DEFAULT 0,
        model NOT NULL
    )""",
    """CREATE TABLE goldfish_facts (
        pk INTEGER PRIMARY KEY,
        user INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        said_at INTEGER NOT NULL,
        id TEXT NOT NULL,
        key TEXT NOT NULL,
        base TEXT NOT NULL,
        said TEXT NOT NULL,
        times_seen INTEGER NOT NULL DEFAULT 1,
        near TEXT NOT NULL DEFAULT '[]',
        expires_at REAL,
        vectors BLOB NOT NULL
    )""",
    "CREATE UNIQUE INDEX goldfish_facts_by_key ON goldfish_facts (user, key)",
    "CREATE UNIQUE INDEX goldfish_facts_by_id ON goldfish_facts (user, id)",
    "CREATE INDEX goldfish_facts_by_change ON goldfish_facts (user, changed, seq)",
    """CREATE INDEX goldfish_facts_expiring
        ON goldfish_facts (expires_at) WHERE expires_at IS NOT NULL""",
    """CREATE TABLE goldfish_fact_history (
        user INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        said TEXT NOT NULL,
        PRIMARY KEY (user, seq, changed)
    ) WITHOUT ROWID""",
)
_SEARCH: Statements = (
    # Changes whenever something of the session that could be found is gone, or came back.
    "ALTER TABLE goldfish_sessions ADD COLUMN epoch INTEGER",
    "UPDATE goldfish_sessions SET epoch = random()",
    # The newest place of a trimmed message that searches still find.
    "ALTER TABLE goldfish_sessions ADD COLUMN kept_top INTEGER",
    """CREATE TABLE goldfish_kept (
        place INTEGER PRIMARY KEY,
        id NOT NULL,
        body TEXT NOT NULL
    )""",
    "CREATE INDEX goldfish_kept_by_id ON goldfish_kept (id)",
    """CREATE TABLE goldfish_vectors (
        place INTEGER PRIMARY KEY,
        vectors BLOB NOT NULL
    )""",
    "CREATE TABLE goldfish_search_model (name NOT NULL)",
)
_STATE: Statements = (
    """CREATE TABLE goldfish_state (
        session INTEGER NOT NULL,
        name NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (session, name)
    ) WITHOUT ROWID""",
    """CREATE TABLE goldfish_user_state (
        user_id NOT NULL,
        name NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (user_id, name)
    ) WITHOUT ROWID""",
    # What snapshots show, by their numbers.
    """CREATE TABLE goldfish_saved_state (
        snapshot INTEGER NOT NULL,
        name NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (snapshot, name)
    ) WITHOUT ROWID""",
)

# What is known of calls that may be repeated.
_RETRIES: Statements = (
    # The fork that began the session.
    "ALTER TABLE goldfish_sessions ADD COLUMN token TEXT",
    """CREATE TABLE goldfish_fact_tokens (
        pk INTEGER PRIMARY KEY,
        user INTEGER NOT NULL,
        token TEXT NOT NULL,
        seq INTEGER NOT NULL,
        noted_at REAL NOT NULL
    )""",
    "CREATE UNIQUE INDEX goldfish_fact_tokens_by_token ON goldfish_fact_tokens (user, token)",
    "CREATE INDEX goldfish_fact_tokens_by_fact ON goldfish_fact_tokens (user, seq)",
    "CREATE INDEX goldfish_fact_tokens_by_time ON goldfish_fact_tokens (noted_at)",
)

# What facts are found by, and where links lead, both ways: so that nobody has to read all facts.
_FACT_MARKS: Statements = (
    # The number of the change up to which all facts have their marks; those of before have none.
    "ALTER TABLE goldfish_fact_users ADD COLUMN marked INTEGER NOT NULL DEFAULT -1",
    # place = user * 2**32 + block
    """CREATE TABLE goldfish_fact_blocks (
        place INTEGER PRIMARY KEY,
        directory BLOB NOT NULL,
        marks BLOB NOT NULL
    )""",
    """CREATE TABLE goldfish_fact_links (
        user INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        other INTEGER NOT NULL,
        PRIMARY KEY (user, seq, other)
    ) WITHOUT ROWID""",
    """INSERT OR IGNORE INTO goldfish_fact_links (user, seq, other)
        SELECT newer.user, newer.seq, older.seq FROM goldfish_facts AS newer, json_each(newer.near)
        JOIN goldfish_facts AS older
            ON older.user = newer.user AND older.id = json_extract(json_each.value, '$[0]')
        WHERE newer.near <> '[]' AND json_valid(newer.near)""",
    """INSERT OR IGNORE INTO goldfish_fact_links (user, seq, other)
        SELECT user, other, seq FROM goldfish_fact_links""",
    """CREATE UNIQUE INDEX goldfish_facts_by_place
        ON goldfish_facts (user, seq, expires_at, said_at)""",
    """CREATE INDEX goldfish_facts_ending
        ON goldfish_facts (user, seq, expires_at) WHERE expires_at IS NOT NULL""",
)

# What messages are found by: so that nobody has to read all of them.
_SEARCH_MARKS: Statements = (
    # ``search`` says what these two are; messages of before have no marks.
    "ALTER TABLE goldfish_sessions ADD COLUMN marked_to INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE goldfish_sessions ADD COLUMN marked_epoch INTEGER",
    # place = session * 2**32 + block
    """CREATE TABLE goldfish_search_blocks (
        place INTEGER PRIMARY KEY,
        directory BLOB NOT NULL,
        marks BLOB NOT NULL
    )""",
)

MIGRATIONS: tuple[Statements, ...] = (
    _MESSAGES,
    _SNAPSHOTS,
    _FACTS,
    _SEARCH,
    _STATE,
    _RETRIES,
    _FACT_MARKS,
    _SEARCH_MARKS,
)


def migrate(
    connection: sqlite3.Connection, migrations: Sequence[Sequence[str]], path: Path
) -> None:
    """Bring the schema to the newest version, in one transaction, or refuse a newer one."""
    newest = len(migrations)
    if _read_version(connection, path, newest) == newest:
        return

    def change(connection: sqlite3.Connection) -> int:
        version = _read_version(connection, path, newest)  # again, now that nobody else writes
        connection.execute("CREATE TABLE IF NOT EXISTS goldfish_schema (version INTEGER NOT NULL)")
        for statements in migrations[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute("DELETE FROM goldfish_schema")
        connection.execute("INSERT INTO goldfish_schema VALUES (?)", (newest,))
        return version

    version = in_transaction(connection, change)
    if 0 < version < newest:
        LOGGER.info("%s: migrated from schema version %d to %d", path, version, newest)


def _read_version(connection: sqlite3.Connection, path: Path, newest: int) -> int:
    known = connection.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'goldfish_schema'"
    ).fetchone()
    row = connection.execute("SELECT version FROM goldfish_schema").fetchone() if known else None
    version = int(row[0]) if row else 0
    if version > newest:
        raise SchemaTooNewError(
            f"{path} has schema version {version} and this goldfish knows {newest}: "
            "pip install --upgrade goldfish"
        )
    return version

"""The tables of the SQLite store for facts: the third version of its schema."""

FACTS: tuple[str, ...] = (
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

"""What the SQLite store keeps of calls that may be repeated: the sixth version of its schema."""

RETRIES: tuple[str, ...] = (
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

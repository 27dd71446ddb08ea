"""The tables of the SQLite store for named values: the fifth version of its schema."""

STATE: tuple[str, ...] = (
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

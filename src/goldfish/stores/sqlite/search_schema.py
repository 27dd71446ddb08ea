"""The tables of the SQLite store for searches: the fourth version of its schema."""

SEARCH: tuple[str, ...] = (
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

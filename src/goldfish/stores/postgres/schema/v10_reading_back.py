"""Version 10: an append that returns the newest messages, as they are when it is committed."""

READING_BACK: tuple[str, ...] = (
    # The append holds the session's row, so nobody removes anything in between.
    """CREATE FUNCTION {s}.append_and_read(
        the_key bytea, the_id bytea, keys bytea[], bodies bytea[], ttl double precision,
        last bigint
    ) RETURNS SETOF bytea LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM {s}.append(the_key, the_id, keys, bodies, ttl);
        RETURN QUERY SELECT body FROM {s}.messages
            WHERE session = (SELECT pk FROM {s}.sessions WHERE sessions.key = the_key)
            ORDER BY seq DESC LIMIT last;
    END $$""",
)

"""Version 1: sessions and their messages.

Each write is one call of a function, so it takes one round trip and one transaction. Writers of
one session queue up at the row of the session; so its messages are numbered in the order in which
they become visible.

Ids and messages are ``bytea``: a ``text`` column can hold neither NUL nor what the server's
encoding lacks. A long id is represented by its digest, because index entries have a limit.
"""

MESSAGES: tuple[str, ...] = (
    """CREATE TABLE {s}.sessions (
        pk bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key bytea NOT NULL UNIQUE,
        session_id bytea NOT NULL,
        expires_at timestamptz
    )""",
    "CREATE INDEX ON {s}.sessions (expires_at) WHERE expires_at IS NOT NULL",
    """CREATE TABLE {s}.messages (
        session bigint NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        key bytea NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (session, seq)
    )""",
    # Our ids grow with time: with the id first, new entries share the index's last page.
    "CREATE UNIQUE INDEX ON {s}.messages (key, session)",
    # The session's number, its row locked; an expired one is emptied first.
    """CREATE FUNCTION {s}.living_session(the_key bytea) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE found {s}.sessions%ROWTYPE;
    BEGIN
        SELECT * INTO found FROM {s}.sessions WHERE key = the_key FOR UPDATE;
        IF found.expires_at <= clock_timestamp() THEN
            DELETE FROM {s}.messages WHERE session = found.pk;
            UPDATE {s}.sessions SET expires_at = NULL WHERE pk = found.pk;
        END IF;
        RETURN found.pk;
    END $$""",
    """CREATE FUNCTION {s}.append(
        the_key bytea, the_id bytea, keys bytea[], bodies bytea[], ttl double precision
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_session bigint;
    BEGIN
        LOOP
            the_session := {s}.living_session(the_key);
            EXIT WHEN the_session IS NOT NULL;
            INSERT INTO {s}.sessions (key, session_id) VALUES (the_key, the_id)
                ON CONFLICT DO NOTHING;
        END LOOP;
        INSERT INTO {s}.messages (session, key, body)
            SELECT the_session, m.key, m.body
            FROM unnest(keys, bodies) WITH ORDINALITY AS m (key, body, nth) ORDER BY nth
            ON CONFLICT DO NOTHING;
        IF ttl IS NOT NULL THEN
            UPDATE {s}.sessions SET expires_at = clock_timestamp() + ttl * interval '1 second'
                WHERE pk = the_session;
        END IF;
    END $$""",
    """CREATE FUNCTION {s}.keep_last(the_key bytea, keep bigint) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key); gone bigint;
    BEGIN
        DELETE FROM {s}.messages WHERE session = the_session AND seq <= (
            SELECT seq FROM {s}.messages WHERE session = the_session
            ORDER BY seq DESC OFFSET keep LIMIT 1);
        GET DIAGNOSTICS gone = ROW_COUNT;
        RETURN gone;
    END $$""",
    """CREATE FUNCTION {s}.remove(the_key bytea, keys bytea[]) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key); gone bigint;
    BEGIN
        DELETE FROM {s}.messages WHERE session = the_session AND key = ANY (keys);
        GET DIAGNOSTICS gone = ROW_COUNT;
        RETURN gone;
    END $$""",
    """CREATE FUNCTION {s}.clear(the_key bytea) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key);
    BEGIN
        DELETE FROM {s}.messages WHERE session = the_session;
        DELETE FROM {s}.sessions WHERE pk = the_session;
    END $$""",
    # The lock waits for writes under way, so that none is left behind without its session.
    """CREATE FUNCTION {s}.clear_all() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        LOCK TABLE {s}.sessions IN EXCLUSIVE MODE;
        DELETE FROM {s}.messages;
        DELETE FROM {s}.sessions;
    END $$""",
    """CREATE FUNCTION {s}.set_ttl(the_key bytea, ttl double precision) RETURNS void
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key);
    BEGIN
        UPDATE {s}.sessions SET expires_at = clock_timestamp() + ttl * interval '1 second'
            WHERE pk = the_session
            AND EXISTS (SELECT 1 FROM {s}.messages WHERE session = the_session);
    END $$""",
    # Remove a few expired sessions that nobody asks for, without waiting for anybody.
    """CREATE FUNCTION {s}.sweep() RETURNS void LANGUAGE sql AS $$
        WITH expired AS (
            SELECT pk FROM {s}.sessions WHERE expires_at <= clock_timestamp()
            LIMIT 100 FOR UPDATE SKIP LOCKED
        ), emptied AS (
            DELETE FROM {s}.messages WHERE session IN (SELECT pk FROM expired)
        )
        DELETE FROM {s}.sessions WHERE pk IN (SELECT pk FROM expired)
    $$""",
)

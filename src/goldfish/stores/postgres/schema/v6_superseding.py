"""Version 6, third part: a trimmed message whose id comes again is superseded.

A message that was trimmed and is kept for searches is superseded once the session has its id again,
be it added or brought back by a rollback: the trimmed one is gone for good, with its vectors.
"""

SUPERSEDING: tuple[str, ...] = (
    # Most sessions have nothing kept: one look tells. What it takes is saved by calling
    # living_session() only where that has something to do.
    """CREATE OR REPLACE FUNCTION {s}.append(
        the_key bytea, the_id bytea, keys bytea[], bodies bytea[], ttl double precision
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_session bigint; deadline timestamptz;
    BEGIN
        LOOP
            SELECT pk, expires_at INTO the_session, deadline FROM {s}.sessions
                WHERE sessions.key = the_key FOR UPDATE;
            EXIT WHEN the_session IS NOT NULL;
            INSERT INTO {s}.sessions (key, session_id) VALUES (the_key, the_id)
                ON CONFLICT DO NOTHING;
        END LOOP;
        IF deadline <= clock_timestamp() THEN
            PERFORM {s}.living_session(the_key);
        END IF;
        INSERT INTO {s}.messages (session, key, body)
            SELECT the_session, m.key, m.body
            FROM unnest(keys, bodies) WITH ORDINALITY AS m (key, body, nth) ORDER BY nth
            ON CONFLICT DO NOTHING;
        IF EXISTS (SELECT 1 FROM {s}.kept WHERE session = the_session)
            AND EXISTS (SELECT 1 FROM {s}.kept
                WHERE session = the_session AND key = ANY (keys)) THEN
            PERFORM {s}.drop_kept(the_session, keys);
        END IF;
        IF ttl IS NOT NULL THEN
            UPDATE {s}.sessions SET expires_at = clock_timestamp() + ttl * interval '1 second'
                WHERE pk = the_session;
        END IF;
    END $$""",
    # Forget the trimmed messages whose ids the session has.
    """CREATE FUNCTION {s}.drop_superseded(the_session bigint) RETURNS void
    LANGUAGE plpgsql AS $$
    DECLARE superseded bytea[] := ARRAY(
        SELECT k.key FROM {s}.kept AS k JOIN {s}.messages AS m USING (session, key)
        WHERE k.session = the_session);
    BEGIN
        IF cardinality(superseded) > 0 THEN
            PERFORM {s}.drop_kept(the_session, superseded);
        END IF;
    END $$""",
    """CREATE OR REPLACE FUNCTION {s}.roll_back_messages(the_key bytea, the_id bytea)
    RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE the_session bigint;
    BEGIN
        IF NOT {s}.roll_back_history(the_key, the_id) THEN
            RETURN false;
        END IF;
        UPDATE {s}.sessions SET epoch = epoch + 1 WHERE sessions.key = the_key
            RETURNING pk INTO the_session;
        PERFORM {s}.drop_superseded(the_session);
        RETURN true;
    END $$""",
    # Earlier versions left such messages behind.
    "SELECT {s}.drop_superseded(session) FROM (SELECT DISTINCT session FROM {s}.kept) AS k",
)

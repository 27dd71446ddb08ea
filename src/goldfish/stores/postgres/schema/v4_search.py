"""Version 4: searches of what was said.

A message has its vectors under its ``seq``, also while only a snapshot shows it, so that a rollback
brings it back ready to be found. A message that was trimmed and is kept for searches keeps its
``seq`` as well: to a search nothing has changed. Whenever something that could be found is gone,
or came back, the ``epoch`` of its session grows.

What removes messages or the archive is watched by triggers, once per statement, so that a store
that does not search leaves nothing behind, either.
"""

_STEADY = "LANGUAGE plpgsql SET enable_seqscan = off"

SEARCH: tuple[str, ...] = (
    "ALTER TABLE {s}.sessions ADD COLUMN epoch bigint NOT NULL DEFAULT 0",
    """CREATE TABLE {s}.kept (
        session bigint NOT NULL,
        seq bigint NOT NULL,
        key bytea NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (session, seq)
    )""",
    "CREATE INDEX ON {s}.kept (key, session)",
    """CREATE TABLE {s}.vectors (
        session bigint NOT NULL,
        seq bigint NOT NULL,
        vectors bytea NOT NULL,
        PRIMARY KEY (session, seq)
    )""",
    """CREATE TABLE {s}.search_model (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        name bytea NOT NULL
    )""",
    f"""CREATE FUNCTION {{s}}.forget_gone() RETURNS trigger {_STEADY} AS $$
    BEGIN
        IF EXISTS (SELECT 1 FROM {{s}}.vectors) THEN
            DELETE FROM {{s}}.vectors AS v USING gone AS g
                WHERE v.session = g.session AND v.seq = g.seq
                AND NOT EXISTS (SELECT 1 FROM {{s}}.messages AS m
                    WHERE m.session = g.session AND m.seq = g.seq)
                AND NOT EXISTS (SELECT 1 FROM {{s}}.archive AS a
                    WHERE a.session = g.session AND a.seq = g.seq)
                AND NOT EXISTS (SELECT 1 FROM {{s}}.kept AS k
                    WHERE k.session = g.session AND k.seq = g.seq);
        END IF;
        IF TG_TABLE_NAME = 'messages' THEN
            UPDATE {{s}}.sessions SET epoch = epoch + 1 WHERE pk IN (
                SELECT session FROM gone AS g WHERE NOT EXISTS (SELECT 1 FROM {{s}}.kept AS k
                    WHERE k.session = g.session AND k.seq = g.seq));
        END IF;
        RETURN NULL;
    END $$""",
    *(
        f"""CREATE TRIGGER forget_gone AFTER DELETE ON {{s}}.{table} REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION {{s}}.forget_gone()"""
        for table in ("messages", "archive")
    ),
    # A session lives as long as searches find something of it.
    """CREATE FUNCTION {s}.spare_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.kept WHERE session = OLD.pk) THEN
            RETURN NULL;
        END IF;
        RETURN OLD;
    END $$""",
    """CREATE TRIGGER spare_kept BEFORE DELETE ON {s}.sessions
        FOR EACH ROW EXECUTE FUNCTION {s}.spare_kept()""",
    # Trimmed messages: all of a session, or those with some keys.
    """CREATE FUNCTION {s}.drop_kept(the_session bigint, keys bytea[] DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
        WITH dropped AS (
            DELETE FROM {s}.kept WHERE session = the_session AND (keys IS NULL OR key = ANY (keys))
            RETURNING seq
        ) DELETE FROM {s}.vectors AS v USING dropped
            WHERE v.session = the_session AND v.seq = dropped.seq
            AND NOT EXISTS (SELECT 1 FROM {s}.messages AS m
                WHERE m.session = the_session AND m.seq = v.seq)
            AND NOT EXISTS (SELECT 1 FROM {s}.archive AS a
                WHERE a.session = the_session AND a.seq = v.seq);
        UPDATE {s}.sessions SET epoch = epoch + 1 WHERE pk = the_session;
    END $$""",
    # The functions of earlier versions that must do more now.
    "ALTER FUNCTION {s}.empty(bigint) RENAME TO empty_history",
    """CREATE FUNCTION {s}.empty(the_session bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.kept WHERE session = the_session) THEN
            PERFORM {s}.drop_kept(the_session);
        END IF;
        PERFORM {s}.empty_history(the_session);
    END $$""",
    "ALTER FUNCTION {s}.remove(bytea, bytea[]) RENAME TO remove_from_history",
    """CREATE FUNCTION {s}.remove(the_key bytea, keys bytea[]) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE
        gone bigint := {s}.remove_from_history(the_key, keys);
        the_session bigint := (SELECT pk FROM {s}.sessions WHERE sessions.key = the_key);
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.kept WHERE session = the_session AND key = ANY (keys)) THEN
            PERFORM {s}.drop_kept(the_session, keys);
        END IF;
        RETURN gone;
    END $$""",
    "ALTER FUNCTION {s}.rollback_to_snapshot(bytea, bytea) RENAME TO roll_back_history",
    """CREATE FUNCTION {s}.rollback_to_snapshot(the_key bytea, the_id bytea) RETURNS boolean
    LANGUAGE plpgsql AS $$
    BEGIN
        IF NOT {s}.roll_back_history(the_key, the_id) THEN
            RETURN false;
        END IF;
        UPDATE {s}.sessions SET epoch = epoch + 1 WHERE sessions.key = the_key;
        DELETE FROM {s}.kept AS k USING {s}.sessions AS x, {s}.messages AS m
            WHERE x.key = the_key AND k.session = x.pk AND m.session = x.pk AND m.key = k.key;
        RETURN true;
    END $$""",
    "ALTER FUNCTION {s}.fork(bytea, bytea, bytea, bytea) RENAME TO fork_history",
    """CREATE FUNCTION {s}.fork(the_key bytea, the_id bytea, new_key bytea, new_id bytea)
    RETURNS text LANGUAGE plpgsql AS $$
    DECLARE forked text := {s}.fork_history(the_key, the_id, new_key, new_id);
    BEGIN
        IF forked = 'done' AND EXISTS (SELECT 1 FROM {s}.vectors) THEN
            INSERT INTO {s}.vectors (session, seq, vectors)
                SELECT new.session, new.seq, v.vectors FROM {s}.messages AS new
                JOIN {s}.messages AS old ON old.key = new.key
                    AND old.session = (SELECT pk FROM {s}.sessions WHERE sessions.key = the_key)
                JOIN {s}.vectors AS v ON v.session = old.session AND v.seq = old.seq
                WHERE new.session = (SELECT pk FROM {s}.sessions WHERE sessions.key = new_key);
        END IF;
        RETURN forked;
    END $$""",
    "ALTER FUNCTION {s}.clear_all() RENAME TO clear_sessions",
    # A writer that took the model just before the lock waits for the sessions: it may have it.
    """CREATE FUNCTION {s}.clear_all() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM {s}.search_model;
        LOCK TABLE {s}.sessions IN EXCLUSIVE MODE;
        DELETE FROM {s}.search_model WHERE single IN (
            SELECT single FROM {s}.search_model FOR UPDATE SKIP LOCKED);
        DELETE FROM {s}.kept;
        DELETE FROM {s}.vectors;
        PERFORM {s}.clear_sessions();
    END $$""",
    # And the new ones. Writers share the row of the model until their vectors are there; whoever
    # removes all vectors takes it first. All go from the model to the session to the vectors, so
    # that none waits for another in a ring.
    """CREATE FUNCTION {s}.forget_vectors() RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE gone bigint;
    BEGIN
        DELETE FROM {s}.search_model;
        UPDATE {s}.sessions SET epoch = epoch + 1;
        DELETE FROM {s}.vectors;
        GET DIAGNOSTICS gone = ROW_COUNT;
        RETURN gone;
    END $$""",
    # The model of the stored vectors, which is the given one if there are none.
    """CREATE FUNCTION {s}.noted_model(model bytea) RETURNS bytea LANGUAGE plpgsql AS $$
    DECLARE stored bytea;
    BEGIN
        LOOP
            SELECT name INTO stored FROM {s}.search_model FOR SHARE;
            EXIT WHEN stored IS NOT NULL;
            INSERT INTO {s}.search_model (name) VALUES (model) ON CONFLICT DO NOTHING;
        END LOOP;
        RETURN stored;
    END $$""",
    # Each of these two returns the model of the stored vectors, and does nothing if it is another.
    """CREATE FUNCTION {s}.append_embedded(
        the_key bytea, the_id bytea, keys bytea[], bodies bytea[], ttl double precision,
        model bytea, new_vectors bytea[]
    ) RETURNS bytea LANGUAGE plpgsql AS $$
    DECLARE stored bytea := {s}.noted_model(model);
    BEGIN
        IF stored = model THEN
            PERFORM {s}.append(the_key, the_id, keys, bodies, ttl);
            INSERT INTO {s}.vectors (session, seq, vectors)
                SELECT m.session, m.seq, v.vectors
                FROM unnest(keys, bodies, new_vectors) AS v (key, body, vectors)
                JOIN {s}.messages AS m ON m.key = v.key AND m.body = v.body
                    AND m.session = (SELECT pk FROM {s}.sessions WHERE sessions.key = the_key)
                ON CONFLICT DO NOTHING;
        END IF;
        RETURN stored;
    END $$""",
    """CREATE FUNCTION {s}.embed(
        the_key bytea, the_epoch text, model bytea, seqs bigint[], new_vectors bytea[]
    ) RETURNS bytea LANGUAGE plpgsql AS $$
    DECLARE stored bytea := {s}.noted_model(model); the_session bigint;
    BEGIN
        SELECT pk INTO the_session FROM {s}.sessions
            WHERE sessions.key = the_key AND pk || '.' || epoch = the_epoch FOR UPDATE;
        IF stored = model THEN
            INSERT INTO {s}.vectors (session, seq, vectors)
                SELECT the_session, v.seq, v.vectors
                FROM unnest(seqs, new_vectors) AS v (seq, vectors)
                WHERE the_session IS NOT NULL ON CONFLICT DO NOTHING;
        END IF;
        RETURN stored;
    END $$""",
    # Trimming for a store that keeps what is trimmed.
    """CREATE FUNCTION {s}.keep_last_and_the_rest(the_key bytea, keep bigint) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key);
    BEGIN
        INSERT INTO {s}.kept (session, seq, key, body)
            SELECT session, seq, messages.key, body FROM {s}.messages
            WHERE session = the_session AND seq <= (SELECT seq FROM {s}.messages
                WHERE session = the_session ORDER BY seq DESC OFFSET keep LIMIT 1)
            ON CONFLICT DO NOTHING;
        RETURN {s}.keep_last(the_key, keep);
    END $$""",
    """CREATE FUNCTION {s}.set_apart(the_key bytea, keys bytea[]) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key);
    BEGIN
        INSERT INTO {s}.kept (session, seq, key, body)
            SELECT session, seq, messages.key, body FROM {s}.messages
            WHERE session = the_session AND messages.key = ANY (keys)
            ON CONFLICT DO NOTHING;
        RETURN {s}.remove_from_history(the_key, keys);
    END $$""",
)

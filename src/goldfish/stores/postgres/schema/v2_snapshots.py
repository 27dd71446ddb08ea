"""Version 2: snapshots.

A snapshot copies nothing. It has a number that grows, and the newest ``seq`` of its session: its
``top``. It shows each message up to there that has been alive since; most messages are never
removed, and nothing is written about them. Of the others ``lives`` tells when they came and went:
a life is shown by the snapshots with ``born < number <= died``. What is removed while a snapshot
shows it moves to ``archive``, once, whatever the number of snapshots; when a rollback brings it
back it takes its old ``seq``, and begins another life.

Each function holds the row of its session, as all writers do. A plan may have been made when the
tables were nearly empty, and is kept: so those that handle many rows at once are planned without
the steps that are quick then and slow later.
"""

ALIVE = (1 << 63) - 1  # the end of a life that has not ended, and beyond every seq
_STEADY = "LANGUAGE plpgsql SET enable_nestloop = off SET enable_seqscan = off"

SNAPSHOTS: tuple[str, ...] = (
    # The number of the session's newest snapshot, and the top of that one.
    "ALTER TABLE {s}.sessions ADD COLUMN snapshot bigint, ADD COLUMN top bigint",
    """CREATE TABLE {s}.snapshots (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        session bigint NOT NULL,
        id bytea NOT NULL UNIQUE,
        label bytea,
        created_at timestamptz NOT NULL,
        top bigint NOT NULL,
        seconds_left double precision
    )""",
    "CREATE INDEX ON {s}.snapshots (session, number)",
    """CREATE TABLE {s}.lives (
        session bigint NOT NULL,
        seq bigint NOT NULL,
        born bigint NOT NULL,
        died bigint NOT NULL,
        PRIMARY KEY (session, seq, born)
    )""",
    # With the seq, so that the planner never walks all lives of a session to find one message's.
    "CREATE INDEX ON {s}.lives (session, died, seq)",
    """CREATE TABLE {s}.archive (
        session bigint NOT NULL,
        seq bigint NOT NULL,
        key bytea NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (session, seq)
    )""",
    # Before messages are removed: keep what snapshots show. First the lives that nothing is written
    # about yet; then those that came back and have been saved again since; what has not been saved
    # again leaves no trace.
    f"""CREATE FUNCTION {{s}}.set_aside(the_session bigint, doomed bigint[]) RETURNS void
    {_STEADY} AS $$
    DECLARE newest bigint; newest_top bigint; first bigint; last bigint;
    BEGIN
        SELECT snapshot, top INTO newest, newest_top FROM {{s}}.sessions WHERE pk = the_session;
        SELECT min(seq), max(seq) INTO first, last FROM unnest(doomed) AS d (seq);
        INSERT INTO {{s}}.lives (session, seq, born, died)
            SELECT the_session, d.seq, 0, newest FROM unnest(doomed) AS d (seq)
            WHERE d.seq <= newest_top AND d.seq NOT IN (
                SELECT seq FROM {{s}}.lives WHERE session = the_session
                AND seq BETWEEN first AND last);
        UPDATE {{s}}.lives AS l SET died = newest FROM unnest(doomed) AS d (seq)
            WHERE l.session = the_session AND l.seq = d.seq AND l.seq BETWEEN first AND last
            AND died = {ALIVE} AND born < newest;
        DELETE FROM {{s}}.lives AS l USING unnest(doomed) AS d (seq)
            WHERE l.session = the_session AND l.seq = d.seq AND l.seq BETWEEN first AND last
            AND died = {ALIVE};
        INSERT INTO {{s}}.archive (session, seq, key, body)
            SELECT the_session, d.seq, key, body FROM unnest(doomed) AS d (seq)
            JOIN {{s}}.messages AS m ON m.session = the_session AND m.seq = d.seq
            WHERE m.seq BETWEEN first AND last AND m.seq IN (
                SELECT seq FROM {{s}}.lives WHERE session = the_session
                AND seq BETWEEN first AND last);
    END $$""",
    """CREATE FUNCTION {s}.set_aside(the_session bigint, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.sessions WHERE pk = the_session AND snapshot IS NOT NULL) THEN
            PERFORM {s}.set_aside(the_session, ARRAY(SELECT seq FROM {s}.messages
                WHERE session = the_session AND seq BETWEEN first AND last));
        END IF;
    END $$""",
    f"""CREATE FUNCTION {{s}}.empty(the_session bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM {{s}}.set_aside(the_session, 0, {ALIVE});
        DELETE FROM {{s}}.messages WHERE session = the_session;
        UPDATE {{s}}.sessions SET expires_at = NULL
            WHERE pk = the_session AND expires_at IS NOT NULL;
    END $$""",
    """CREATE FUNCTION {s}.forget_snapshots(the_session bigint) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM {s}.snapshots WHERE session = the_session;
        DELETE FROM {s}.lives WHERE session = the_session;
        DELETE FROM {s}.archive WHERE session = the_session;
        UPDATE {s}.sessions SET snapshot = NULL, top = NULL WHERE pk = the_session;
    END $$""",
    # The functions of the first version that remove something, now with regard to snapshots.
    """CREATE OR REPLACE FUNCTION {s}.living_session(the_key bytea) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE found {s}.sessions%ROWTYPE;
    BEGIN
        SELECT * INTO found FROM {s}.sessions WHERE key = the_key FOR UPDATE;
        IF found.expires_at <= clock_timestamp() THEN
            PERFORM {s}.empty(found.pk);
        END IF;
        RETURN found.pk;
    END $$""",
    """CREATE OR REPLACE FUNCTION {s}.keep_last(the_key bytea, keep bigint) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key); newest_surplus bigint; gone bigint;
    BEGIN
        SELECT seq INTO newest_surplus FROM {s}.messages WHERE session = the_session
            ORDER BY seq DESC OFFSET keep LIMIT 1;
        IF newest_surplus IS NULL THEN
            RETURN 0;
        END IF;
        PERFORM {s}.set_aside(the_session, 0, newest_surplus);
        DELETE FROM {s}.messages WHERE session = the_session AND seq <= newest_surplus;
        GET DIAGNOSTICS gone = ROW_COUNT;
        RETURN gone;
    END $$""",
    """CREATE OR REPLACE FUNCTION {s}.remove(the_key bytea, keys bytea[]) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key); gone bigint;
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.sessions WHERE pk = the_session AND snapshot IS NOT NULL) THEN
            PERFORM {s}.set_aside(the_session, ARRAY(SELECT seq FROM {s}.messages
                WHERE session = the_session AND key = ANY (keys)));
        END IF;
        DELETE FROM {s}.messages WHERE session = the_session AND key = ANY (keys);
        GET DIAGNOSTICS gone = ROW_COUNT;
        RETURN gone;
    END $$""",
    "DROP FUNCTION {s}.clear(bytea)",
    """CREATE FUNCTION {s}.clear(the_key bytea, snapshots boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key);
    BEGIN
        IF snapshots THEN
            PERFORM {s}.forget_snapshots(the_session);
        END IF;
        PERFORM {s}.empty(the_session);
        DELETE FROM {s}.sessions WHERE pk = the_session AND snapshot IS NULL;
    END $$""",
    """CREATE OR REPLACE FUNCTION {s}.clear_all() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        LOCK TABLE {s}.sessions IN EXCLUSIVE MODE;
        DELETE FROM {s}.messages;
        DELETE FROM {s}.snapshots;
        DELETE FROM {s}.lives;
        DELETE FROM {s}.archive;
        DELETE FROM {s}.sessions;
    END $$""",
    "DROP FUNCTION {s}.sweep()",
    """CREATE FUNCTION {s}.sweep() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE expired bigint;
    BEGIN
        FOR expired IN SELECT pk FROM {s}.sessions WHERE expires_at <= clock_timestamp()
            LIMIT 100 FOR UPDATE SKIP LOCKED LOOP
            PERFORM {s}.empty(expired);
            DELETE FROM {s}.sessions WHERE pk = expired AND snapshot IS NULL;
        END LOOP;
    END $$""",
    # And the new ones.
    """CREATE FUNCTION {s}.begun_session(the_key bytea, the_id bytea) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint;
    BEGIN
        LOOP
            the_session := {s}.living_session(the_key);
            EXIT WHEN the_session IS NOT NULL;
            INSERT INTO {s}.sessions (key, session_id) VALUES (the_key, the_id)
                ON CONFLICT DO NOTHING;
        END LOOP;
        RETURN the_session;
    END $$""",
    """CREATE FUNCTION {s}.save_snapshot(
        the_key bytea, the_id bytea, new_id bytea, new_label bytea, moment timestamptz
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
        the_session bigint := {s}.begun_session(the_key, the_id);
        last_seq bigint := (SELECT max(seq) FROM {s}.messages WHERE session = the_session);
        new_number bigint;
        new_top bigint;
    BEGIN
        INSERT INTO {s}.snapshots (session, id, label, created_at, top, seconds_left)
            SELECT the_session, new_id, new_label, moment, greatest(top, last_seq, 0),
                extract(epoch FROM expires_at - clock_timestamp())
            FROM {s}.sessions WHERE pk = the_session
            RETURNING number, top INTO new_number, new_top;
        UPDATE {s}.sessions SET snapshot = new_number, top = new_top WHERE pk = the_session;
    END $$""",
    # Whether there is such a snapshot.
    f"""CREATE FUNCTION {{s}}.rollback_to_snapshot(the_key bytea, the_id bytea) RETURNS boolean
    {_STEADY} AS $$
    DECLARE
        the_session bigint := {{s}}.living_session(the_key);
        saved {{s}}.snapshots%ROWTYPE;
        doomed bigint[];
        back bigint[];
    BEGIN
        SELECT * INTO saved FROM {{s}}.snapshots WHERE id = the_id AND session = the_session;
        IF saved IS NULL THEN
            RETURN false;
        END IF;
        PERFORM {{s}}.set_aside(the_session, saved.top + 1, {ALIVE});
        DELETE FROM {{s}}.messages WHERE session = the_session AND seq > saved.top;
        back := ARRAY(SELECT seq FROM {{s}}.lives WHERE session = the_session AND seq <= saved.top
            AND died >= saved.number AND died < {ALIVE} AND born < saved.number);
        doomed := ARRAY(SELECT seq FROM {{s}}.lives WHERE session = the_session
            AND seq <= saved.top AND died = {ALIVE} AND born >= saved.number
            EXCEPT SELECT unnest(back));
        PERFORM {{s}}.set_aside(the_session, doomed);
        DELETE FROM {{s}}.messages WHERE session = the_session AND seq = ANY (doomed);
        back := ARRAY(SELECT seq FROM {{s}}.archive
            WHERE session = the_session AND seq = ANY (back));
        INSERT INTO {{s}}.messages (session, seq, key, body) OVERRIDING SYSTEM VALUE
            SELECT session, seq, key, body FROM {{s}}.archive
            WHERE session = the_session AND seq = ANY (back);
        INSERT INTO {{s}}.lives (session, seq, born, died)
            SELECT the_session, seq, snapshot, {ALIVE}
            FROM unnest(back) AS seq, {{s}}.sessions WHERE pk = the_session;
        DELETE FROM {{s}}.archive WHERE session = the_session AND seq = ANY (back);
        UPDATE {{s}}.sessions
            SET expires_at = clock_timestamp() + saved.seconds_left * interval '1 second'
            WHERE pk = the_session;
        RETURN true;
    END $$""",
    # With it go the lives that no other snapshot shows: they ended before the next one, and began
    # after the one before (or beyond its top).
    f"""CREATE FUNCTION {{s}}.delete_snapshot(the_key bytea, the_id bytea) RETURNS void
    {_STEADY} AS $$
    DECLARE
        the_session bigint := {{s}}.living_session(the_key);
        saved {{s}}.snapshots%ROWTYPE;
        before {{s}}.snapshots%ROWTYPE;
        after bigint;
        forgotten bigint[];
    BEGIN
        SELECT * INTO saved FROM {{s}}.snapshots WHERE id = the_id AND session = the_session;
        IF saved IS NULL THEN
            RETURN;
        END IF;
        SELECT * INTO before FROM {{s}}.snapshots
            WHERE session = the_session AND number < saved.number ORDER BY number DESC LIMIT 1;
        SELECT min(number) INTO after FROM {{s}}.snapshots
            WHERE session = the_session AND number > saved.number;
        IF before.number IS NULL AND after IS NULL THEN
            PERFORM {{s}}.forget_snapshots(the_session);
            DELETE FROM {{s}}.sessions WHERE pk = the_session AND expires_at IS NULL
                AND NOT EXISTS (SELECT 1 FROM {{s}}.messages WHERE session = the_session);
            RETURN;
        END IF;
        WITH ended AS (
            DELETE FROM {{s}}.lives WHERE session = the_session
            AND died >= saved.number AND died < coalesce(after, {ALIVE})
            AND NOT (born < coalesce(before.number, 0) AND seq <= coalesce(before.top, 0))
            RETURNING seq
        ) SELECT array_agg(seq) INTO forgotten FROM ended;
        DELETE FROM {{s}}.archive WHERE session = the_session AND seq = ANY (forgotten)
            AND seq NOT IN (SELECT seq FROM {{s}}.lives WHERE session = the_session
                AND seq = ANY (forgotten));
        DELETE FROM {{s}}.snapshots WHERE number = saved.number;
        IF after IS NULL THEN
            UPDATE {{s}}.sessions SET snapshot = before.number, top = before.top
                WHERE pk = the_session;
        END IF;
    END $$""",
    # The source is not locked, so that two forks in opposite directions do not wait for each other:
    # one statement copies, and until the end nobody can delete the snapshot.
    f"""CREATE FUNCTION {{s}}.fork(the_key bytea, the_id bytea, new_key bytea, new_id bytea)
    RETURNS text {_STEADY} AS $$
    DECLARE
        saved {{s}}.snapshots%ROWTYPE;
        new_session bigint;
    BEGIN
        IF NOT EXISTS (SELECT 1 FROM {{s}}.snapshots AS n JOIN {{s}}.sessions ON pk = n.session
            WHERE n.id = the_id AND key = the_key) THEN
            RETURN 'not found';
        END IF;
        new_session := {{s}}.begun_session(new_key, new_id);
        IF EXISTS (SELECT 1 FROM {{s}}.messages WHERE session = new_session) THEN
            RETURN 'not empty';
        END IF;
        SELECT * INTO saved FROM {{s}}.snapshots WHERE id = the_id FOR SHARE;
        IF saved IS NULL THEN
            RETURN 'not found';
        END IF;
        INSERT INTO {{s}}.messages (session, key, body)
            SELECT new_session, key, body FROM (
                SELECT seq, key, body FROM {{s}}.messages
                    WHERE session = saved.session AND seq <= saved.top AND seq NOT IN (
                        SELECT seq FROM {{s}}.lives WHERE session = saved.session
                        AND died = {ALIVE} AND born >= saved.number)
                UNION ALL SELECT seq, coalesce(m.key, a.key), coalesce(m.body, a.body)
                    FROM {{s}}.lives
                    LEFT JOIN {{s}}.messages AS m USING (session, seq)
                    LEFT JOIN {{s}}.archive AS a USING (session, seq)
                    WHERE session = saved.session AND seq <= saved.top
                    AND born < saved.number AND died >= saved.number AND died < {ALIVE}
            ) AS shown ORDER BY seq;
        UPDATE {{s}}.sessions
            SET expires_at = clock_timestamp() + saved.seconds_left * interval '1 second'
            WHERE pk = new_session;
        RETURN 'done';
    END $$""",
)

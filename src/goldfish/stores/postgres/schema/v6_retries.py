"""Version 6, first part: repeated calls are recognised.

A snapshot's id is made of the call's key, so a repeated save finds it. The token of a fork stands
in the row of the session that it filled, until that is emptied; those of facts stand in a table of
their own and go with their fact.

The new parameters have defaults: a process of an older goldfish that is still running calls the
functions as before.
"""

RETRIES: tuple[str, ...] = (
    "ALTER TABLE {s}.sessions ADD COLUMN token bytea",
    """CREATE TABLE {s}.fact_tokens (
        owner bigint NOT NULL,
        token bytea NOT NULL,
        seq bigint NOT NULL,
        noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (owner, token),
        FOREIGN KEY (owner, seq) REFERENCES {s}.facts (owner, seq) ON DELETE CASCADE
    )""",
    "CREATE INDEX ON {s}.fact_tokens (owner, seq)",
    "CREATE INDEX ON {s}.fact_tokens (noted_at)",
    """CREATE OR REPLACE FUNCTION {s}.save_snapshot(
        the_key bytea, the_id bytea, new_id bytea, new_label bytea, moment timestamptz
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.begun_session(the_key, the_id);
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.snapshots WHERE id = new_id AND session = the_session) THEN
            RETURN;
        END IF;
        PERFORM {s}.save_messages(the_key, the_id, new_id, new_label, moment);
        INSERT INTO {s}.saved_state (snapshot, key, name, value)
            SELECT n.number, x.key, x.name, x.value FROM {s}.snapshots AS n
            JOIN {s}.state AS x ON x.session = n.session WHERE n.id = new_id;
    END $$""",
    # A session lives as long as it has values or a token, or searches find something of it.
    """CREATE OR REPLACE FUNCTION {s}.spare_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF OLD.token IS NOT NULL
            OR EXISTS (SELECT 1 FROM {s}.kept WHERE session = OLD.pk)
            OR EXISTS (SELECT 1 FROM {s}.state WHERE session = OLD.pk) THEN
            RETURN NULL;
        END IF;
        RETURN OLD;
    END $$""",
    """CREATE OR REPLACE FUNCTION {s}.empty(the_session bigint) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM {s}.state WHERE session = the_session;
        UPDATE {s}.sessions SET token = NULL WHERE pk = the_session AND token IS NOT NULL;
        PERFORM {s}.empty_of_messages(the_session);
    END $$""",
    "ALTER FUNCTION {s}.fork(bytea, bytea, bytea, bytea) RENAME TO fork_with_state",
    # The new session is held from the look at its token on. None is begun for nothing.
    """CREATE FUNCTION {s}.fork(
        the_key bytea, the_id bytea, new_key bytea, new_id bytea, the_token bytea DEFAULT NULL
    ) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE new_session bigint := {s}.living_session(new_key); forked text;
    BEGIN
        IF new_session IS NULL AND EXISTS (
            SELECT 1 FROM {s}.snapshots AS n JOIN {s}.sessions AS x ON x.pk = n.session
            WHERE n.id = the_id AND x.key = the_key) THEN
            new_session := {s}.begun_session(new_key, new_id);
        END IF;
        IF EXISTS (SELECT 1 FROM {s}.sessions WHERE pk = new_session AND token = the_token) THEN
            RETURN 'done';
        END IF;
        forked := {s}.fork_with_state(the_key, the_id, new_key, new_id);
        IF forked = 'done' THEN
            UPDATE {s}.sessions SET token = the_token
                WHERE pk = new_session AND token IS DISTINCT FROM the_token;
        END IF;
        RETURN forked;
    END $$""",
    # The fact that a call with this token wrote, if it is still there.
    """CREATE FUNCTION {s}.fact_of_call(the_user bigint, the_token bytea) RETURNS bytea
    LANGUAGE sql AS $$
        SELECT f.id FROM {s}.fact_tokens AS t JOIN {s}.facts AS f USING (owner, seq)
        WHERE t.owner = the_user AND t.token = the_token
        AND (f.expires_at IS NULL OR f.expires_at > clock_timestamp())
    $$""",
    """CREATE FUNCTION {s}.note_call(the_user bigint, the_token bytea, the_seq bigint)
    RETURNS void LANGUAGE sql AS $$
        INSERT INTO {s}.fact_tokens (owner, token, seq) VALUES (the_user, the_token, the_seq)
        ON CONFLICT (owner, token) DO UPDATE SET seq = the_seq, noted_at = clock_timestamp()
    $$""",
    """DROP FUNCTION {s}.remember_fact(
        bytea, bytea, bytea, bytea, bytea, bytea, double precision, bytea, bytea, bigint)""",
    """CREATE FUNCTION {s}.remember_fact(
        the_key bytea, the_user_id bytea, new_id bytea, new_key bytea, new_base bytea,
        new_said bytea, ttl double precision, the_model bytea, new_vectors bytea, new_epoch bigint,
        the_token bytea DEFAULT NULL, OUT outcome text, OUT detail bytea
    ) LANGUAGE plpgsql AS $$
    DECLARE
        the_user {s}.fact_users%ROWTYPE;
        at bigint;
        the_seq bigint;
        deadline timestamptz := clock_timestamp() + ttl * interval '1 second';
    BEGIN
        LOOP
            the_user := {s}.living_user(the_key);
            IF the_user.model <> the_model THEN
                IF EXISTS (SELECT 1 FROM {s}.facts WHERE owner = the_user.pk) THEN
                    outcome := 'other model';
                    detail := the_user.model;
                    RETURN;
                END IF;
                PERFORM {s}.forget_user(the_user.pk);
                the_user := NULL;
            END IF;
            EXIT WHEN the_user.pk IS NOT NULL;
            INSERT INTO {s}.fact_users (key, user_id, epoch, model)
                VALUES (the_key, the_user_id, new_epoch, the_model) ON CONFLICT DO NOTHING;
        END LOOP;
        outcome := 'done';
        IF the_token IS NOT NULL THEN
            detail := {s}.fact_of_call(the_user.pk, the_token);
            IF detail IS NOT NULL THEN
                RETURN;
            END IF;
        END IF;
        at := {s}.next_change(the_user.pk);
        UPDATE {s}.facts SET times_seen = times_seen + 1, changed = at, expires_at =
            CASE WHEN ttl IS NOT NULL AND expires_at IS NOT NULL
                THEN greatest(expires_at, deadline) END
            WHERE owner = the_user.pk AND key = new_key
            AND (expires_at IS NULL OR expires_at > clock_timestamp())
            RETURNING id, seq INTO detail, the_seq;
        IF detail IS NULL THEN
            WITH ended AS (
                DELETE FROM {s}.facts WHERE owner = the_user.pk AND key = new_key RETURNING seq
            ) DELETE FROM {s}.fact_history AS h USING ended
                WHERE h.owner = the_user.pk AND h.seq = ended.seq;
            INSERT INTO {s}.facts
                (owner, seq, changed, said_at, id, key, base, said, expires_at, vectors)
                VALUES (the_user.pk, at, at, at, new_id, new_key, new_base, new_said, deadline,
                    new_vectors);
            detail := new_id;
            the_seq := at;
        END IF;
        IF the_token IS NOT NULL THEN
            PERFORM {s}.note_call(the_user.pk, the_token, the_seq);
        END IF;
    END $$""",
    "DROP FUNCTION {s}.revise_fact(bytea, bytea, bytea, bytea, bytea, bytea)",
    """CREATE FUNCTION {s}.revise_fact(
        the_key bytea, the_id bytea, new_key bytea, new_said bytea, the_model bytea,
        new_vectors bytea, the_token bytea DEFAULT NULL, OUT outcome text, OUT detail bytea
    ) LANGUAGE plpgsql AS $$
    DECLARE
        the_user {s}.fact_users%ROWTYPE := {s}.living_user(the_key);
        old {s}.facts%ROWTYPE;
        at bigint;
    BEGIN
        SELECT * INTO old FROM {s}.facts WHERE owner = the_user.pk AND id = the_id FOR UPDATE;
        detail := the_id;
        IF old.seq IS NULL THEN
            outcome := 'not found';
            RETURN;
        END IF;
        IF the_user.model <> the_model THEN
            outcome := 'other model';
            detail := the_user.model;
            RETURN;
        END IF;
        IF the_token IS NOT NULL AND {s}.fact_of_call(the_user.pk, the_token) IS NOT NULL THEN
            outcome := 'done';
            RETURN;
        END IF;
        SELECT id INTO detail FROM {s}.facts
            WHERE owner = the_user.pk AND key = new_key AND seq <> old.seq;
        IF detail IS NOT NULL THEN
            outcome := 'taken';
            RETURN;
        END IF;
        at := {s}.next_change(the_user.pk);
        INSERT INTO {s}.fact_history (owner, seq, changed, said)
            VALUES (the_user.pk, old.seq, at, old.said);
        UPDATE {s}.facts SET changed = at, said_at = at, key = new_key, said = new_said,
            near = '[]', vectors = new_vectors WHERE owner = the_user.pk AND seq = old.seq;
        IF the_token IS NOT NULL THEN
            PERFORM {s}.note_call(the_user.pk, the_token, old.seq);
        END IF;
        outcome := 'done';
        detail := the_id;
    END $$""",
)

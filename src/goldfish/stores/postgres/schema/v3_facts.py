"""Version 3: facts.

Writers of one user queue up at the user's row; so the numbers of its changes follow the order of
commits. Nobody who holds facts of other users, to sweep them away, ever waits for anybody.
"""

FACTS: tuple[str, ...] = (
    """CREATE TABLE {s}.fact_users (
        pk bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key bytea NOT NULL UNIQUE,
        user_id bytea NOT NULL,
        epoch bigint NOT NULL,
        version bigint NOT NULL DEFAULT 0,
        removals bigint NOT NULL DEFAULT 0,
        model bytea NOT NULL
    )""",
    """CREATE TABLE {s}.facts (
        owner bigint NOT NULL,
        seq bigint NOT NULL,
        changed bigint NOT NULL,
        said_at bigint NOT NULL,
        id bytea NOT NULL,
        key bytea NOT NULL,
        base bytea NOT NULL,
        said bytea NOT NULL,
        times_seen bigint NOT NULL DEFAULT 1,
        near bytea NOT NULL DEFAULT '[]',
        expires_at timestamptz,
        vectors bytea NOT NULL,
        PRIMARY KEY (owner, seq)
    )""",
    "ALTER TABLE {s}.facts ALTER COLUMN vectors SET STORAGE EXTERNAL",  # they do not compress
    "CREATE UNIQUE INDEX ON {s}.facts (owner, key)",
    "CREATE UNIQUE INDEX ON {s}.facts (owner, id)",
    "CREATE INDEX ON {s}.facts (owner, changed)",
    "CREATE INDEX ON {s}.facts (expires_at) WHERE expires_at IS NOT NULL",
    """CREATE TABLE {s}.fact_history (
        owner bigint NOT NULL,
        seq bigint NOT NULL,
        changed bigint NOT NULL,
        said bytea NOT NULL,
        PRIMARY KEY (owner, seq, changed)
    )""",
    # The user with its row locked, without the facts whose time is over.
    """CREATE FUNCTION {s}.living_user(the_key bytea) RETURNS {s}.fact_users
    LANGUAGE plpgsql AS $$
    DECLARE found {s}.fact_users%ROWTYPE; ended bigint[];
    BEGIN
        SELECT * INTO found FROM {s}.fact_users WHERE key = the_key FOR UPDATE;
        WITH gone AS (
            DELETE FROM {s}.facts WHERE owner = found.pk AND expires_at <= clock_timestamp()
            RETURNING seq
        ) SELECT array_agg(seq) INTO ended FROM gone;
        IF ended IS NOT NULL THEN
            DELETE FROM {s}.fact_history WHERE owner = found.pk AND seq = ANY (ended);
        END IF;
        RETURN found;
    END $$""",
    # Remove a few expired facts that nobody asks for, without waiting for anybody.
    """CREATE FUNCTION {s}.sweep_facts() RETURNS void LANGUAGE sql AS $$
        WITH ended AS (
            SELECT owner, seq FROM {s}.facts WHERE expires_at <= clock_timestamp()
            LIMIT 100 FOR UPDATE SKIP LOCKED
        ), forgotten AS (
            DELETE FROM {s}.fact_history AS h USING ended
            WHERE h.owner = ended.owner AND h.seq = ended.seq
        )
        DELETE FROM {s}.facts AS f USING ended
            WHERE f.owner = ended.owner AND f.seq = ended.seq
    $$""",
    """CREATE FUNCTION {s}.forget_user(the_user bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM {s}.facts WHERE owner = the_user;
        DELETE FROM {s}.fact_history WHERE owner = the_user;
        DELETE FROM {s}.fact_users WHERE pk = the_user;
    END $$""",
    # The number of the user's next change.
    """CREATE FUNCTION {s}.next_change(the_user bigint) RETURNS bigint LANGUAGE sql AS $$
        UPDATE {s}.fact_users SET version = version + 1 WHERE pk = the_user RETURNING version
    $$""",
    """CREATE FUNCTION {s}.remember_fact(
        the_key bytea, the_user_id bytea, new_id bytea, new_key bytea, new_base bytea,
        new_said bytea, ttl double precision, the_model bytea, new_vectors bytea, new_epoch bigint,
        OUT outcome text, OUT detail bytea
    ) LANGUAGE plpgsql AS $$
    DECLARE
        the_user {s}.fact_users%ROWTYPE;
        at bigint;
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
        at := {s}.next_change(the_user.pk);
        outcome := 'done';
        UPDATE {s}.facts SET times_seen = times_seen + 1, changed = at, expires_at =
            CASE WHEN ttl IS NOT NULL AND expires_at IS NOT NULL
                THEN greatest(expires_at, deadline) END
            WHERE owner = the_user.pk AND key = new_key
            AND (expires_at IS NULL OR expires_at > clock_timestamp()) RETURNING id INTO detail;
        IF detail IS NULL THEN
            DELETE FROM {s}.facts WHERE owner = the_user.pk AND key = new_key;
            INSERT INTO {s}.facts
                (owner, seq, changed, said_at, id, key, base, said, expires_at, vectors)
                VALUES (the_user.pk, at, at, at, new_id, new_key, new_base, new_said, deadline,
                    new_vectors);
            detail := new_id;
        END IF;
        PERFORM {s}.sweep_facts();
    END $$""",
    """CREATE FUNCTION {s}.revise_fact(
        the_key bytea, the_id bytea, new_key bytea, new_said bytea, the_model bytea,
        new_vectors bytea, OUT outcome text, OUT detail bytea
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
        outcome := 'done';
        detail := the_id;
    END $$""",
    """CREATE FUNCTION {s}.link_fact(
        the_key bytea, the_id bytea, worded_at bigint, new_near bytea
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_user {s}.fact_users%ROWTYPE := {s}.living_user(the_key);
    BEGIN
        UPDATE {s}.facts SET near = new_near, changed = {s}.next_change(the_user.pk)
            WHERE owner = the_user.pk AND id = the_id AND said_at = worded_at;
    END $$""",
    """CREATE FUNCTION {s}.forget_fact(the_key bytea, the_id bytea) RETURNS void
    LANGUAGE plpgsql AS $$
    DECLARE the_user {s}.fact_users%ROWTYPE := {s}.living_user(the_key); gone bigint;
    BEGIN
        DELETE FROM {s}.facts WHERE owner = the_user.pk AND id = the_id RETURNING seq INTO gone;
        IF gone IS NULL THEN
            RETURN;
        END IF;
        DELETE FROM {s}.fact_history WHERE owner = the_user.pk AND seq = gone;
        UPDATE {s}.fact_users SET version = version + 1, removals = removals + 1
            WHERE pk = the_user.pk;
        IF NOT EXISTS (SELECT 1 FROM {s}.facts WHERE owner = the_user.pk) THEN
            PERFORM {s}.forget_user(the_user.pk);
        END IF;
    END $$""",
    """CREATE FUNCTION {s}.forget_facts(the_key bytea) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_user {s}.fact_users%ROWTYPE := {s}.living_user(the_key);
    BEGIN
        PERFORM {s}.forget_user(the_user.pk);
    END $$""",
    # Whether nothing had changed since.
    """CREATE FUNCTION {s}.embed_facts(
        the_key bytea, known_epoch bigint, known_version bigint, known_removals bigint,
        the_model bytea, new_epoch bigint, seqs bigint[], all_vectors bytea[]
    ) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE the_user {s}.fact_users%ROWTYPE := {s}.living_user(the_key);
    BEGIN
        IF (the_user.epoch, the_user.version, the_user.removals)
            IS DISTINCT FROM (known_epoch, known_version, known_removals) THEN
            RETURN false;
        END IF;
        UPDATE {s}.facts AS f SET vectors = m.vectors
            FROM unnest(seqs, all_vectors) AS m (seq, vectors)
            WHERE f.owner = the_user.pk AND f.seq = m.seq;
        UPDATE {s}.fact_users SET model = the_model, epoch = new_epoch WHERE pk = the_user.pk;
        RETURN true;
    END $$""",
)

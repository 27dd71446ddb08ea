"""Version 8: what facts are found by, and where links lead, both ways.

Marks and links go with their facts. A process of an older goldfish that is still running calls the
functions without marks; then the user is noted as not ``marked``, and the next who needs the marks
makes those that are missing.
"""

FACT_MARKS: tuple[str, ...] = (
    "ALTER TABLE {s}.fact_users ADD COLUMN marked boolean NOT NULL DEFAULT false",
    """CREATE TABLE {s}.fact_marks (
        owner bigint NOT NULL,
        seq bigint NOT NULL,
        said_at bigint NOT NULL,
        marks bytea NOT NULL,
        PRIMARY KEY (owner, seq),
        FOREIGN KEY (owner, seq) REFERENCES {s}.facts (owner, seq) ON DELETE CASCADE
    )""",
    "ALTER TABLE {s}.fact_marks ALTER COLUMN marks SET STORAGE EXTERNAL",  # they do not compress
    """CREATE TABLE {s}.fact_links (
        owner bigint NOT NULL,
        seq bigint NOT NULL,
        other bigint NOT NULL,
        PRIMARY KEY (owner, seq, other),
        FOREIGN KEY (owner, seq) REFERENCES {s}.facts (owner, seq) ON DELETE CASCADE,
        FOREIGN KEY (owner, other) REFERENCES {s}.facts (owner, seq) ON DELETE CASCADE
    )""",
    "CREATE INDEX ON {s}.fact_links (owner, other)",
    "CREATE INDEX ON {s}.facts (owner, seq, expires_at) WHERE expires_at IS NOT NULL",
    # Note where the links of a fact lead.
    """CREATE FUNCTION {s}.point_fact(the_user bigint, the_seq bigint, the_near bytea)
    RETURNS void LANGUAGE sql AS $$
        WITH older AS (
            SELECT f.seq FROM jsonb_array_elements(convert_from(the_near, 'UTF8')::jsonb) AS link
            JOIN {s}.facts AS f ON f.owner = the_user AND f.id = convert_to(link ->> 0, 'UTF8')
        ) INSERT INTO {s}.fact_links (owner, seq, other)
            SELECT the_user, the_seq, seq FROM older
            UNION ALL SELECT the_user, seq, the_seq FROM older ON CONFLICT DO NOTHING
    $$""",
    "SELECT {s}.point_fact(owner, seq, near) FROM {s}.facts WHERE near <> '[]'",
    """CREATE OR REPLACE FUNCTION {s}.link_fact(
        the_key bytea, the_id bytea, worded_at bigint, new_near bytea
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_user {s}.fact_users%ROWTYPE := {s}.living_user(the_key); linked bigint;
    BEGIN
        UPDATE {s}.facts SET near = new_near, changed = {s}.next_change(the_user.pk)
            WHERE owner = the_user.pk AND id = the_id AND said_at = worded_at AND near = '[]'
            RETURNING seq INTO linked;
        IF linked IS NOT NULL THEN
            PERFORM {s}.point_fact(the_user.pk, linked, new_near);
        END IF;
    END $$""",
    # Store the marks of a fact, or note that they are missing; whatever it said, links are over.
    """CREATE FUNCTION {s}.mark_fact(
        the_user bigint, the_seq bigint, worded_at bigint, the_marks bytea
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        IF the_marks IS NULL THEN
            UPDATE {s}.fact_users SET marked = false WHERE pk = the_user;
            RETURN;
        END IF;
        INSERT INTO {s}.fact_marks AS m (owner, seq, said_at, marks)
            VALUES (the_user, the_seq, worded_at, the_marks)
            ON CONFLICT (owner, seq) DO UPDATE SET said_at = worded_at, marks = the_marks;
    END $$""",
    """ALTER FUNCTION {s}.remember_fact(
        bytea, bytea, bytea, bytea, bytea, bytea, double precision, bytea, bytea, bigint, bytea)
        RENAME TO remember_unmarked_fact""",
    """CREATE FUNCTION {s}.remember_fact(
        the_key bytea, the_user_id bytea, new_id bytea, new_key bytea, new_base bytea,
        new_said bytea, ttl double precision, the_model bytea, new_vectors bytea, new_epoch bigint,
        the_token bytea DEFAULT NULL, new_marks bytea DEFAULT NULL,
        OUT outcome text, OUT detail bytea
    ) LANGUAGE plpgsql AS $$
    DECLARE the_user bigint; the_seq bigint;
    BEGIN
        SELECT r.outcome, r.detail INTO outcome, detail FROM {s}.remember_unmarked_fact(
            the_key, the_user_id, new_id, new_key, new_base, new_said, ttl, the_model, new_vectors,
            new_epoch, the_token) AS r;
        IF outcome = 'done' AND detail = new_id THEN
            SELECT f.owner, f.seq INTO the_user, the_seq FROM {s}.fact_users AS u
                JOIN {s}.facts AS f ON f.owner = u.pk WHERE u.key = the_key AND f.id = new_id;
            IF new_marks IS NOT NULL THEN  -- of a user who begins, all facts have marks
                UPDATE {s}.fact_users SET marked = true
                    WHERE pk = the_user AND version = 1 AND NOT marked;
            END IF;
            PERFORM {s}.mark_fact(the_user, the_seq, the_seq, new_marks);
        END IF;
    END $$""",
    """ALTER FUNCTION {s}.revise_fact(bytea, bytea, bytea, bytea, bytea, bytea, bytea)
        RENAME TO revise_unmarked_fact""",
    """CREATE FUNCTION {s}.revise_fact(
        the_key bytea, the_id bytea, new_key bytea, new_said bytea, the_model bytea,
        new_vectors bytea, the_token bytea DEFAULT NULL, new_marks bytea DEFAULT NULL,
        OUT outcome text, OUT detail bytea
    ) LANGUAGE plpgsql AS $$
    DECLARE fact {s}.facts%ROWTYPE; before bigint;
    BEGIN
        SELECT u.version INTO before FROM {s}.fact_users AS u WHERE u.key = the_key FOR UPDATE;
        SELECT r.outcome, r.detail INTO outcome, detail FROM {s}.revise_unmarked_fact(
            the_key, the_id, new_key, new_said, the_model, new_vectors, the_token) AS r;
        SELECT f.* INTO fact FROM {s}.fact_users AS u JOIN {s}.facts AS f ON f.owner = u.pk
            WHERE u.key = the_key AND f.id = the_id;
        IF outcome = 'done' AND fact.said_at > before THEN  -- and not repeated
            DELETE FROM {s}.fact_links WHERE owner = fact.owner
                AND (seq = fact.seq OR other = fact.seq);
            PERFORM {s}.mark_fact(fact.owner, fact.seq, fact.said_at, new_marks);
        END IF;
    END $$""",
    """CREATE OR REPLACE FUNCTION {s}.embed_facts(
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
        DELETE FROM {s}.fact_marks WHERE owner = the_user.pk;
        UPDATE {s}.fact_users SET model = the_model, epoch = new_epoch, marked = false
            WHERE pk = the_user.pk;
        RETURN true;
    END $$""",
    # Whether all facts have their marks now.
    """CREATE FUNCTION {s}.mark_facts(
        the_key bytea, seqs bigint[], worded_at bigint[], all_marks bytea[]
    ) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE the_user {s}.fact_users%ROWTYPE := {s}.living_user(the_key);
    BEGIN
        PERFORM {s}.mark_fact(the_user.pk, m.seq, m.said_at, m.marks)
            FROM unnest(seqs, worded_at, all_marks) AS m (seq, said_at, marks)
            JOIN {s}.facts AS f ON f.owner = the_user.pk AND f.seq = m.seq
                AND f.said_at = m.said_at;
        IF EXISTS (SELECT 1 FROM {s}.facts AS f LEFT JOIN {s}.fact_marks AS m USING (owner, seq)
            WHERE f.owner = the_user.pk AND m.said_at IS DISTINCT FROM f.said_at) THEN
            RETURN false;
        END IF;
        UPDATE {s}.fact_users SET marked = true WHERE pk = the_user.pk;
        RETURN true;
    END $$""",
)

"""Version 9: what messages are found by.

Marks stay as long as a message, a snapshot or a search has what they are the marks of: a ``seq`` is
never used again, so they are never those of something else. A process of an older goldfish that is
still running appends without marks; the next search makes those that are missing.
"""

SEARCH_MARKS: tuple[str, ...] = (
    """CREATE TABLE {s}.marks (
        session bigint NOT NULL,
        seq bigint NOT NULL,
        marks bytea NOT NULL,
        PRIMARY KEY (session, seq)
    )""",
    "ALTER TABLE {s}.marks ALTER COLUMN marks SET STORAGE EXTERNAL",  # they do not compress
    """CREATE FUNCTION {s}.unmark_gone() RETURNS trigger
    LANGUAGE plpgsql SET enable_seqscan = off AS $$
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.marks) THEN
            DELETE FROM {s}.marks AS x USING gone AS g
                WHERE x.session = g.session AND x.seq = g.seq
                AND NOT EXISTS (SELECT 1 FROM {s}.messages AS m
                    WHERE m.session = g.session AND m.seq = g.seq)
                AND NOT EXISTS (SELECT 1 FROM {s}.archive AS a
                    WHERE a.session = g.session AND a.seq = g.seq)
                AND NOT EXISTS (SELECT 1 FROM {s}.kept AS k
                    WHERE k.session = g.session AND k.seq = g.seq);
        END IF;
        RETURN NULL;
    END $$""",
    *(
        f"""CREATE TRIGGER unmark_gone AFTER DELETE ON {{s}}.{table} REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION {{s}}.unmark_gone()"""
        for table in ("messages", "archive", "kept")
    ),
    """CREATE OR REPLACE FUNCTION {s}.forget_vectors() RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE gone bigint;
    BEGIN
        DELETE FROM {s}.search_model;
        UPDATE {s}.sessions SET epoch = epoch + 1;
        DELETE FROM {s}.marks;
        DELETE FROM {s}.vectors;
        GET DIAGNOSTICS gone = ROW_COUNT;
        RETURN gone;
    END $$""",
    # Each of these two returns the model of the stored vectors, and does nothing if it is another.
    # Without a model there are no vectors.
    """CREATE FUNCTION {s}.append_marked(
        the_key bytea, the_id bytea, keys bytea[], bodies bytea[], ttl double precision,
        model bytea, new_vectors bytea[], new_marks bytea[]
    ) RETURNS bytea LANGUAGE plpgsql AS $$
    DECLARE stored bytea;
    BEGIN
        IF model IS NULL THEN
            PERFORM {s}.append(the_key, the_id, keys, bodies, ttl);
        ELSE
            stored := {s}.append_embedded(the_key, the_id, keys, bodies, ttl, model, new_vectors);
        END IF;
        IF stored IS NOT DISTINCT FROM model THEN
            INSERT INTO {s}.marks (session, seq, marks)
                SELECT m.session, m.seq, x.marks
                FROM unnest(keys, bodies, new_marks) AS x (key, body, marks)
                JOIN {s}.messages AS m ON m.key = x.key AND m.body = x.body
                    AND m.session = (SELECT pk FROM {s}.sessions WHERE sessions.key = the_key)
                ON CONFLICT DO NOTHING;
        END IF;
        RETURN stored;
    END $$""",
    """CREATE FUNCTION {s}.mark(
        the_key bytea, the_epoch text, model bytea, seqs bigint[], new_vectors bytea[],
        new_marks bytea[]
    ) RETURNS bytea LANGUAGE plpgsql AS $$
    DECLARE stored bytea; the_session bigint;
    BEGIN
        IF model IS NOT NULL THEN
            stored := {s}.embed(the_key, the_epoch, model, seqs, new_vectors);
        END IF;
        SELECT pk INTO the_session FROM {s}.sessions
            WHERE sessions.key = the_key AND pk || '.' || epoch = the_epoch FOR UPDATE;
        IF stored IS NOT DISTINCT FROM model AND the_session IS NOT NULL THEN
            INSERT INTO {s}.marks AS old (session, seq, marks)
                SELECT the_session, x.seq, x.marks FROM unnest(seqs, new_marks) AS x (seq, marks)
                ON CONFLICT (session, seq) DO UPDATE SET marks = excluded.marks;
        END IF;
        RETURN stored;
    END $$""",
)

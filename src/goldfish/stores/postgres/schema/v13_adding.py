"""Version 13: a fact that is remembered comes back with the counters of its user.

So the process that wrote it need not ask for it. A user that is known takes one statement, and of
the facts whose time is over only the one with the same key is removed at once: others are swept.
"""

ADDING: tuple[str, ...] = (
    # The counters, the time, whether all facts have marks, and the deadline, of a new fact alone.
    """CREATE FUNCTION {s}.add_fact(
        the_key bytea, the_user_id bytea, new_id bytea, new_key bytea, new_base bytea,
        new_said bytea, ttl double precision, the_model bytea, new_vectors bytea, new_epoch bigint,
        the_token bytea, new_marks bytea,
        OUT outcome text, OUT detail bytea, OUT epoch_then bigint, OUT version_then bigint,
        OUT removals_then bigint, OUT moment double precision, OUT all_marked boolean,
        OUT ends_at double precision
    ) LANGUAGE plpgsql AS $$
    DECLARE
        the_user {s}.fact_users%ROWTYPE;
        the_seq bigint;
        is_over boolean;
        deadline timestamptz := clock_timestamp() + ttl * interval '1 second';
    BEGIN
        outcome := 'done';
        UPDATE {s}.fact_users SET version = version + 1
            WHERE key = the_key AND model = the_model RETURNING * INTO the_user;
        IF the_user.pk IS NULL THEN
            SELECT a.the_user, a.other_model INTO the_user.pk, detail
                FROM {s}.admit_fact(the_key, the_user_id, the_model, new_epoch) AS a;
            IF detail IS NOT NULL THEN
                outcome := 'other model';
                RETURN;
            END IF;
            SELECT * INTO the_user FROM {s}.fact_users WHERE pk = the_user.pk;
        END IF;
        IF the_token IS NOT NULL THEN
            detail := {s}.fact_of_call(the_user.pk, the_token);
            IF detail IS NOT NULL THEN  -- then nothing changes, and nobody has seen the number
                UPDATE {s}.fact_users SET version = version - 1 WHERE pk = the_user.pk;
                RETURN;
            END IF;
        END IF;
        -- Held, so that nobody sweeps it away before it is counted again.
        SELECT seq, id, expires_at <= clock_timestamp() INTO the_seq, detail, is_over
            FROM {s}.facts WHERE owner = the_user.pk AND key = new_key FOR UPDATE;
        IF is_over THEN
            DELETE FROM {s}.facts WHERE owner = the_user.pk AND seq = the_seq;
            DELETE FROM {s}.fact_history WHERE owner = the_user.pk AND seq = the_seq;
            the_seq := NULL;
        END IF;
        IF the_seq IS NOT NULL THEN
            UPDATE {s}.facts SET times_seen = times_seen + 1, changed = the_user.version,
                expires_at = CASE WHEN ttl IS NOT NULL AND expires_at IS NOT NULL
                    THEN greatest(expires_at, deadline) END
                WHERE owner = the_user.pk AND seq = the_seq;
        ELSE
            the_seq := the_user.version;
            detail := new_id;
            WITH stored AS (
                INSERT INTO {s}.facts
                    (owner, seq, changed, said_at, id, key, base, said, expires_at, vectors)
                    VALUES (the_user.pk, the_seq, the_seq, the_seq, new_id, new_key, new_base,
                        new_said, deadline, new_vectors)
            ) INSERT INTO {s}.fact_marks (owner, seq, said_at, marks)
                VALUES (the_user.pk, the_seq, the_seq, new_marks);
            epoch_then := the_user.epoch;
            version_then := the_user.version;
            removals_then := the_user.removals;
            moment := extract(epoch FROM clock_timestamp());
            all_marked := the_user.marked;
            ends_at := extract(epoch FROM deadline);
        END IF;
        IF the_token IS NOT NULL THEN
            PERFORM {s}.note_call(the_user.pk, the_token, the_seq);
        END IF;
    END $$""",
)

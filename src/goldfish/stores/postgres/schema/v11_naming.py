"""Version 11: facts with names, of which a new one takes the place of the old one in one step.

The keys of names begin with ``name:``, and all other keys sort before them. The beginning of a
base tells when the fact came, and is kept.
"""

from goldfish.stores.facts.encoding import BIRTH
from goldfish.stores.facts.identity import NAMED

_REPLACE_FACT = """CREATE FUNCTION {s}.replace_fact(
        the_key bytea, the_user_id bytea, new_id bytea, new_key bytea, new_base bytea,
        new_said bytea, ttl double precision, the_model bytea, new_vectors bytea, new_epoch bigint,
        new_marks bytea, former bytea[], OUT outcome text, OUT detail bytea
    ) LANGUAGE plpgsql AS $$
    DECLARE
        the_user {s}.fact_users%ROWTYPE;
        old {s}.facts%ROWTYPE;
        at bigint;
        gone bigint[];
    BEGIN
        LOOP
            SELECT * INTO the_user FROM {s}.fact_users WHERE key = the_key FOR UPDATE;
            IF the_user.model <> the_model THEN
                the_user := {s}.living_user(the_key);
                IF EXISTS (SELECT 1 FROM {s}.facts WHERE owner = the_user.pk) THEN
                    outcome := 'other model';
                    detail := the_user.model;
                    RETURN;
                END IF;
                PERFORM {s}.forget_user(the_user.pk);
                the_user := NULL;
            END IF;
            EXIT WHEN the_user.pk IS NOT NULL;
            INSERT INTO {s}.fact_users (key, user_id, epoch, model, marked)
                VALUES (the_key, the_user_id, new_epoch, the_model, true) ON CONFLICT DO NOTHING;
        END LOOP;
        IF former IS NULL AND EXISTS (
            SELECT 1 FROM {s}.facts WHERE owner = the_user.pk AND key < '<NAMED>') THEN
            outcome := 'unnamed';
            detail := '';
            RETURN;
        END IF;
        SELECT * INTO old FROM {s}.facts WHERE owner = the_user.pk AND key = new_key;
        IF old.seq IS NOT NULL OR former IS NOT NULL THEN
            WITH removed AS (
                DELETE FROM {s}.facts
                WHERE owner = the_user.pk AND (key = new_key OR id = ANY (former)) RETURNING seq
            ) SELECT coalesce(array_agg(seq), '{}') INTO gone FROM removed;
            DELETE FROM {s}.fact_history WHERE owner = the_user.pk AND seq = ANY (gone);
            IF coalesce(old.expires_at, 'infinity') > clock_timestamp() AND old.seq IS NOT NULL THEN
                new_base := substring(old.base FOR <BIRTH>)
                    || substring(new_base FROM <BIRTH> + 1);
            END IF;
        END IF;
        UPDATE {s}.fact_users
            SET version = version + 1, removals = removals + coalesce(cardinality(gone), 0)
            WHERE pk = the_user.pk RETURNING version INTO at;
        INSERT INTO {s}.facts
            (owner, seq, changed, said_at, id, key, base, said, expires_at, vectors)
            VALUES (the_user.pk, at, at, at, new_id, new_key, new_base, new_said,
                clock_timestamp() + ttl * interval '1 second', new_vectors);
        INSERT INTO {s}.fact_marks (owner, seq, said_at, marks)
            VALUES (the_user.pk, at, at, new_marks);
        outcome := 'done';
        detail := new_id;
    END $$"""

NAMING: tuple[str, ...] = (_REPLACE_FACT.replace("<NAMED>", NAMED).replace("<BIRTH>", str(BIRTH)),)

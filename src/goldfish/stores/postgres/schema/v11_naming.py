"""Version 11: facts with names, of which a new one takes the place of the old one in one step.

The keys of names begin with ``name:``, and all other keys sort before them. The beginning of a
base tells when the fact came, and is kept.
"""

from goldfish.stores.facts.encoding import BIRTH
from goldfish.stores.facts.identity import NAMED

_STATEMENTS = (
    # The number of the next change of a user who may get a fact of this model, and begins if
    # needed; the other model, if living facts have that.
    """CREATE FUNCTION {s}.admit_fact(
        the_key bytea, the_user_id bytea, the_model bytea, new_epoch bigint,
        OUT the_user bigint, OUT at bigint, OUT other_model bytea
    ) LANGUAGE plpgsql AS $$
    DECLARE found {s}.fact_users%ROWTYPE;
    BEGIN
        LOOP
            UPDATE {s}.fact_users SET version = version + 1
                WHERE key = the_key AND model = the_model RETURNING pk, version INTO the_user, at;
            EXIT WHEN the_user IS NOT NULL;
            found := {s}.living_user(the_key);
            IF EXISTS (SELECT 1 FROM {s}.facts WHERE owner = found.pk)
                AND found.model <> the_model THEN
                other_model := found.model;
                RETURN;
            END IF;
            IF found.model <> the_model THEN
                PERFORM {s}.forget_user(found.pk);
            END IF;
            INSERT INTO {s}.fact_users (key, user_id, epoch, model, marked)
                VALUES (the_key, the_user_id, new_epoch, the_model, true) ON CONFLICT DO NOTHING;
        END LOOP;
    END $$""",
    # Remove the fact with a key and those with these ids; the base of a fact that comes instead.
    """CREATE FUNCTION {s}.give_way(
        the_user bigint, the_key bytea, former bytea[], new_base bytea
    ) RETURNS bytea LANGUAGE plpgsql AS $$
    DECLARE old bytea; gone bigint[];
    BEGIN
        SELECT base INTO old FROM {s}.facts WHERE owner = the_user AND key = the_key
            AND (expires_at IS NULL OR expires_at > clock_timestamp());
        WITH removed AS (
            DELETE FROM {s}.facts
            WHERE owner = the_user AND (key = the_key OR id = ANY (former)) RETURNING seq
        ) SELECT coalesce(array_agg(seq), '{}') INTO gone FROM removed;
        DELETE FROM {s}.fact_history WHERE owner = the_user AND seq = ANY (gone);
        UPDATE {s}.fact_users SET removals = removals + cardinality(gone) WHERE pk = the_user;
        RETURN coalesce(substring(old FOR <BIRTH>), substring(new_base FOR <BIRTH>))
            || substring(new_base FROM <BIRTH> + 1);
    END $$""",
    """CREATE FUNCTION {s}.replace_fact(
        the_key bytea, the_user_id bytea, new_id bytea, new_key bytea, new_base bytea,
        new_said bytea, ttl double precision, the_model bytea, new_vectors bytea, new_epoch bigint,
        new_marks bytea, former bytea[], OUT outcome text, OUT detail bytea
    ) LANGUAGE plpgsql AS $$
    DECLARE the_user bigint; at bigint; lacks_names boolean; gives_way boolean;
    BEGIN
        UPDATE {s}.fact_users SET version = version + 1
            WHERE key = the_key AND model = the_model RETURNING pk, version INTO the_user, at;
        IF the_user IS NULL THEN
            SELECT a.the_user, a.at, a.other_model INTO the_user, at, detail
                FROM {s}.admit_fact(the_key, the_user_id, the_model, new_epoch) AS a;
            IF detail IS NOT NULL THEN
                outcome := 'other model';
                RETURN;
            END IF;
        END IF;
        SELECT former IS NULL AND EXISTS (
                SELECT 1 FROM {s}.facts WHERE owner = the_user AND key < '<NAMED>'),
            former IS NOT NULL OR EXISTS (
                SELECT 1 FROM {s}.facts WHERE owner = the_user AND key = new_key)
            INTO lacks_names, gives_way;
        IF lacks_names THEN
            outcome := 'unnamed';
            detail := '';
            RETURN;
        END IF;
        IF gives_way THEN
            new_base := {s}.give_way(the_user, new_key, former, new_base);
        END IF;
        WITH stored AS (
            INSERT INTO {s}.facts
                (owner, seq, changed, said_at, id, key, base, said, expires_at, vectors)
                VALUES (the_user, at, at, at, new_id, new_key, new_base, new_said,
                    clock_timestamp() + ttl * interval '1 second', new_vectors)
        ) INSERT INTO {s}.fact_marks (owner, seq, said_at, marks)
            VALUES (the_user, at, at, new_marks);
        outcome := 'done';
        detail := new_id;
    END $$""",
)
NAMING: tuple[str, ...] = tuple(
    each.replace("<NAMED>", NAMED).replace("<BIRTH>", str(BIRTH)) for each in _STATEMENTS
)

"""Version 6, second part: sessions and facts that expired are removed in short steps.

What has expired is removed in steps of a few milliseconds, each a transaction of its own, which
wait for nobody: what somebody else holds is left for the next step. The moment is a variable,
because no index serves a comparison with ``clock_timestamp()``, which may differ from row to row.
"""

from goldfish.stores.facts.backend import TOKEN_SECONDS

STEP_SECONDS = 0.02

SWEEPING: tuple[str, ...] = (
    # What spares a session (its values, its token, what is kept of it) goes before the sessions.
    # A writer that took the model just before the lock waits for the sessions: it may have it.
    """CREATE OR REPLACE FUNCTION {s}.clear_all() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM {s}.search_model;
        LOCK TABLE {s}.sessions IN EXCLUSIVE MODE;
        DELETE FROM {s}.search_model WHERE single IN (
            SELECT single FROM {s}.search_model FOR UPDATE SKIP LOCKED);
        DELETE FROM {s}.kept;
        DELETE FROM {s}.vectors;
        DELETE FROM {s}.state;
        DELETE FROM {s}.messages;
        DELETE FROM {s}.snapshots;
        DELETE FROM {s}.lives;
        DELETE FROM {s}.archive;
        UPDATE {s}.sessions SET token = NULL WHERE token IS NOT NULL;
        DELETE FROM {s}.sessions;
        LOCK TABLE {s}.user_state IN EXCLUSIVE MODE;
        DELETE FROM {s}.user_state;
    END $$""",
    "DROP FUNCTION {s}.clear_messages()",
    "DROP FUNCTION {s}.clear_sessions()",
    # Earlier versions left such rows behind.
    """UPDATE {s}.sessions AS x SET snapshot = NULL, top = NULL WHERE snapshot IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM {s}.snapshots WHERE session = x.pk)""",
    "DROP FUNCTION {s}.sweep_facts()",
    # How many facts went; a user without any goes, too, unless somebody holds it.
    """CREATE FUNCTION {s}.sweep_facts(moment timestamptz) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE owners bigint[]; held bigint[];
    BEGIN
        WITH ended AS (
            SELECT owner, seq FROM {s}.facts WHERE expires_at <= moment
            ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED
        ), forgotten AS (
            DELETE FROM {s}.fact_history AS h USING ended
            WHERE h.owner = ended.owner AND h.seq = ended.seq
        ), gone AS (
            DELETE FROM {s}.facts AS f USING ended
            WHERE f.owner = ended.owner AND f.seq = ended.seq RETURNING f.owner
        ) SELECT array_agg(owner) INTO owners FROM gone;
        IF owners IS NULL THEN
            RETURN 0;
        END IF;
        held := ARRAY(SELECT pk FROM {s}.fact_users WHERE pk = ANY (owners)
            FOR UPDATE SKIP LOCKED);
        DELETE FROM {s}.fact_users AS u WHERE pk = ANY (held)
            AND NOT EXISTS (SELECT 1 FROM {s}.facts WHERE owner = u.pk);
        RETURN cardinality(owners);
    END $$""",
    f"""CREATE FUNCTION {{s}}.sweep_tokens(moment timestamptz) RETURNS bigint
    LANGUAGE plpgsql AS $$
    DECLARE gone bigint;
    BEGIN
        DELETE FROM {{s}}.fact_tokens WHERE (owner, token) IN (
            SELECT owner, token FROM {{s}}.fact_tokens
            WHERE noted_at <= moment - interval '{TOKEN_SECONDS:.0f} seconds'
            ORDER BY noted_at LIMIT 1000 FOR UPDATE SKIP LOCKED);
        GET DIAGNOSTICS gone = ROW_COUNT;
        RETURN gone;
    END $$""",
    "DROP FUNCTION {s}.sweep()",
    # Whether anything was removed: then there may be more.
    f"""CREATE FUNCTION {{s}}.sweep(seconds double precision DEFAULT {STEP_SECONDS})
    RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
    DECLARE
        moment timestamptz := clock_timestamp();
        expired bigint;
        swept bigint := 0;
    BEGIN
        FOR expired IN SELECT pk FROM {{s}}.sessions WHERE expires_at <= moment
            ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED LOOP
            PERFORM {{s}}.empty(expired);
            DELETE FROM {{s}}.sessions WHERE pk = expired AND snapshot IS NULL;
            swept := swept + 1;
            EXIT WHEN clock_timestamp() > moment + seconds * interval '1 second';
        END LOOP;
        RETURN swept + {{s}}.sweep_facts(moment) + {{s}}.sweep_tokens(moment) > 0;
    END $$""",
)

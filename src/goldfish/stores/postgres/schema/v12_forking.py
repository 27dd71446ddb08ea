"""Version 12: a fork into a session supersedes what was trimmed from it and has an id of the fork.

A session of which only trimmed messages are left has no messages, so one can be forked into it.
"""

FORKING: tuple[str, ...] = (
    """CREATE OR REPLACE FUNCTION {s}.fork(
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
            PERFORM {s}.drop_superseded(new_session);
            UPDATE {s}.sessions SET token = the_token
                WHERE pk = new_session AND token IS DISTINCT FROM the_token;
        END IF;
        RETURN forked;
    END $$""",
    # Earlier versions left such messages behind.
    "SELECT {s}.drop_superseded(session) FROM (SELECT DISTINCT session FROM {s}.kept) AS k",
)

"""Version 5: named values of sessions and users.

The values of a session are rows under its number, those of a user rows under the user's id. A
snapshot has a copy of them: there are few, and they are small. Writers of a session queue up at its
row, as all do; writers of a user take the rows in the order of their keys, so that none waits for
another in a ring.
"""

_VALUES = "name bytea NOT NULL, value bytea NOT NULL"
_PUT = "DO UPDATE SET value = excluded.value"

STATE: tuple[str, ...] = (
    f"""CREATE TABLE {{s}}.state (
        session bigint NOT NULL, key bytea NOT NULL, {_VALUES}, PRIMARY KEY (session, key)
    )""",
    f"""CREATE TABLE {{s}}.user_state (
        user_key bytea NOT NULL, key bytea NOT NULL, {_VALUES}, PRIMARY KEY (user_key, key)
    )""",
    f"""CREATE TABLE {{s}}.saved_state (
        snapshot bigint NOT NULL REFERENCES {{s}}.snapshots (number) ON DELETE CASCADE,
        key bytea NOT NULL, {_VALUES}, PRIMARY KEY (snapshot, key)
    )""",
    f"""CREATE FUNCTION {{s}}.set_state(
        the_key bytea, the_id bytea, keys bytea[], names bytea[], new_values bytea[],
        ttl double precision
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {{s}}.begun_session(the_key, the_id);
    BEGIN
        INSERT INTO {{s}}.state (session, key, name, value)
            SELECT the_session, v.key, v.name, v.value
            FROM unnest(keys, names, new_values) AS v (key, name, value)
            ON CONFLICT (session, key) {_PUT};
        IF ttl IS NOT NULL THEN
            UPDATE {{s}}.sessions SET expires_at = clock_timestamp() + ttl * interval '1 second'
                WHERE pk = the_session;
        END IF;
    END $$""",
    f"""CREATE FUNCTION {{s}}.set_user_state(
        the_user bytea, keys bytea[], names bytea[], new_values bytea[]
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO {{s}}.user_state (user_key, key, name, value)
            SELECT the_user, v.key, v.name, v.value
            FROM unnest(keys, names, new_values) AS v (key, name, value) ORDER BY v.key
            ON CONFLICT (user_key, key) {_PUT};
    END $$""",
    # Make the values of a session those that a snapshot shows.
    """CREATE FUNCTION {s}.restate(the_session bigint, the_snapshot bigint) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM {s}.state WHERE session = the_session;
        INSERT INTO {s}.state (session, key, name, value)
            SELECT the_session, key, name, value FROM {s}.saved_state
            WHERE snapshot = the_snapshot;
    END $$""",
    # A session lives as long as searches find something of it, or it has values.
    """CREATE OR REPLACE FUNCTION {s}.spare_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.kept WHERE session = OLD.pk)
            OR EXISTS (SELECT 1 FROM {s}.state WHERE session = OLD.pk) THEN
            RETURN NULL;
        END IF;
        RETURN OLD;
    END $$""",
    # The functions of earlier versions that must do more now.
    "ALTER FUNCTION {s}.empty(bigint) RENAME TO empty_of_messages",
    """CREATE FUNCTION {s}.empty(the_session bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM {s}.state WHERE session = the_session;
        PERFORM {s}.empty_of_messages(the_session);
    END $$""",
    """CREATE OR REPLACE FUNCTION {s}.set_ttl(the_key bytea, ttl double precision) RETURNS void
    LANGUAGE plpgsql AS $$
    DECLARE the_session bigint := {s}.living_session(the_key);
    BEGIN
        UPDATE {s}.sessions SET expires_at = clock_timestamp() + ttl * interval '1 second'
            WHERE pk = the_session
            AND (EXISTS (SELECT 1 FROM {s}.messages WHERE session = the_session)
                OR EXISTS (SELECT 1 FROM {s}.state WHERE session = the_session));
    END $$""",
    """ALTER FUNCTION {s}.save_snapshot(bytea, bytea, bytea, bytea, timestamptz)
        RENAME TO save_messages""",
    """CREATE FUNCTION {s}.save_snapshot(
        the_key bytea, the_id bytea, new_id bytea, new_label bytea, moment timestamptz
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM {s}.save_messages(the_key, the_id, new_id, new_label, moment);
        INSERT INTO {s}.saved_state (snapshot, key, name, value)
            SELECT n.number, x.key, x.name, x.value FROM {s}.snapshots AS n
            JOIN {s}.state AS x ON x.session = n.session WHERE n.id = new_id;
    END $$""",
    "ALTER FUNCTION {s}.rollback_to_snapshot(bytea, bytea) RENAME TO roll_back_messages",
    """CREATE FUNCTION {s}.rollback_to_snapshot(the_key bytea, the_id bytea) RETURNS boolean
    LANGUAGE plpgsql AS $$
    BEGIN
        IF NOT {s}.roll_back_messages(the_key, the_id) THEN
            RETURN false;
        END IF;
        PERFORM {s}.restate(session, number) FROM {s}.snapshots WHERE id = the_id;
        RETURN true;
    END $$""",
    "ALTER FUNCTION {s}.fork(bytea, bytea, bytea, bytea) RENAME TO fork_messages",
    # As long as the new session is held, nobody can give it values.
    """CREATE FUNCTION {s}.fork(the_key bytea, the_id bytea, new_key bytea, new_id bytea)
    RETURNS text LANGUAGE plpgsql AS $$
    DECLARE new_session bigint; forked text;
    BEGIN
        IF EXISTS (SELECT 1 FROM {s}.snapshots AS n JOIN {s}.sessions AS x ON x.pk = n.session
            WHERE n.id = the_id AND x.key = the_key) THEN
            new_session := {s}.begun_session(new_key, new_id);
            IF EXISTS (SELECT 1 FROM {s}.state WHERE session = new_session) THEN
                RETURN 'not empty';
            END IF;
        END IF;
        forked := {s}.fork_messages(the_key, the_id, new_key, new_id);
        IF forked = 'done' THEN
            PERFORM {s}.restate(new_session, number) FROM {s}.snapshots WHERE id = the_id;
        END IF;
        RETURN forked;
    END $$""",
    "ALTER FUNCTION {s}.clear_all() RENAME TO clear_messages",
    # The locks wait for writes under way: those of clear_messages first, as all that take both.
    """CREATE FUNCTION {s}.clear_all() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM {s}.clear_messages();
        LOCK TABLE {s}.user_state IN EXCLUSIVE MODE;
        DELETE FROM {s}.state;
        DELETE FROM {s}.user_state;
    END $$""",
)

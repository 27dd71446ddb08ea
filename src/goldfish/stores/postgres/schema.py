"""Tables and functions of the PostgreSQL store, by version.

Each write is one call of a function, so it takes one round trip and one transaction. Writers of
one session queue up at the row of the session; so its messages are numbered in the order in which
they become visible.

Ids and messages are ``bytea``: a ``text`` column can hold neither NUL nor what the server's
encoding lacks. A long id is represented by its digest, because index entries have a limit.
"""

import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from goldfish.errors import SchemaTooNewError
from goldfish.stores.postgres.facts_schema import FACTS
from goldfish.stores.postgres.retries_schema import RETRIES
from goldfish.stores.postgres.search_schema import SEARCH
from goldfish.stores.postgres.snapshots import SNAPSHOTS
from goldfish.stores.postgres.state_schema import STATE
from goldfish.stores.postgres.superseding_schema import SUPERSEDING
from goldfish.stores.postgres.sweep_schema import SWEEPING

if TYPE_CHECKING:
    from psycopg import AsyncConnection

LOG = logging.getLogger("goldfish.stores.postgres")
LOCK = 0x676F6C64  # any fixed number: "gold"

# {s} is the quoted name of the schema.
_BEGINNING = (
    "CREATE TABLE {s}.version (number integer NOT NULL)",
    "INSERT INTO {s}.version VALUES (0)",
)
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE {s}.sessions (
            pk bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            key bytea NOT NULL UNIQUE,
            session_id bytea NOT NULL,
            expires_at timestamptz
        )""",
        "CREATE INDEX ON {s}.sessions (expires_at) WHERE expires_at IS NOT NULL",
        """CREATE TABLE {s}.messages (
            session bigint NOT NULL,
            seq bigint GENERATED ALWAYS AS IDENTITY,
            key bytea NOT NULL,
            body bytea NOT NULL,
            PRIMARY KEY (session, seq)
        )""",
        # Our ids grow with time: with the id first, new entries share the index's last page.
        "CREATE UNIQUE INDEX ON {s}.messages (key, session)",
        # The session's number, its row locked; an expired one is emptied first.
        """CREATE FUNCTION {s}.living_session(the_key bytea) RETURNS bigint
        LANGUAGE plpgsql AS $$
        DECLARE found {s}.sessions%ROWTYPE;
        BEGIN
            SELECT * INTO found FROM {s}.sessions WHERE key = the_key FOR UPDATE;
            IF found.expires_at <= clock_timestamp() THEN
                DELETE FROM {s}.messages WHERE session = found.pk;
                UPDATE {s}.sessions SET expires_at = NULL WHERE pk = found.pk;
            END IF;
            RETURN found.pk;
        END $$""",
        """CREATE FUNCTION {s}.append(
            the_key bytea, the_id bytea, keys bytea[], bodies bytea[], ttl double precision
        ) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE the_session bigint;
        BEGIN
            LOOP
                the_session := {s}.living_session(the_key);
                EXIT WHEN the_session IS NOT NULL;
                INSERT INTO {s}.sessions (key, session_id) VALUES (the_key, the_id)
                    ON CONFLICT DO NOTHING;
            END LOOP;
            INSERT INTO {s}.messages (session, key, body)
                SELECT the_session, m.key, m.body
                FROM unnest(keys, bodies) WITH ORDINALITY AS m (key, body, nth) ORDER BY nth
                ON CONFLICT DO NOTHING;
            IF ttl IS NOT NULL THEN
                UPDATE {s}.sessions SET expires_at = clock_timestamp() + ttl * interval '1 second'
                    WHERE pk = the_session;
            END IF;
        END $$""",
        """CREATE FUNCTION {s}.keep_last(the_key bytea, keep bigint) RETURNS bigint
        LANGUAGE plpgsql AS $$
        DECLARE the_session bigint := {s}.living_session(the_key); gone bigint;
        BEGIN
            DELETE FROM {s}.messages WHERE session = the_session AND seq <= (
                SELECT seq FROM {s}.messages WHERE session = the_session
                ORDER BY seq DESC OFFSET keep LIMIT 1);
            GET DIAGNOSTICS gone = ROW_COUNT;
            RETURN gone;
        END $$""",
        """CREATE FUNCTION {s}.remove(the_key bytea, keys bytea[]) RETURNS bigint
        LANGUAGE plpgsql AS $$
        DECLARE the_session bigint := {s}.living_session(the_key); gone bigint;
        BEGIN
            DELETE FROM {s}.messages WHERE session = the_session AND key = ANY (keys);
            GET DIAGNOSTICS gone = ROW_COUNT;
            RETURN gone;
        END $$""",
        """CREATE FUNCTION {s}.clear(the_key bytea) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE the_session bigint := {s}.living_session(the_key);
        BEGIN
            DELETE FROM {s}.messages WHERE session = the_session;
            DELETE FROM {s}.sessions WHERE pk = the_session;
        END $$""",
        # The lock waits for writes under way, so that none is left behind without its session.
        """CREATE FUNCTION {s}.clear_all() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            LOCK TABLE {s}.sessions IN EXCLUSIVE MODE;
            DELETE FROM {s}.messages;
            DELETE FROM {s}.sessions;
        END $$""",
        """CREATE FUNCTION {s}.set_ttl(the_key bytea, ttl double precision) RETURNS void
        LANGUAGE plpgsql AS $$
        DECLARE the_session bigint := {s}.living_session(the_key);
        BEGIN
            UPDATE {s}.sessions SET expires_at = clock_timestamp() + ttl * interval '1 second'
                WHERE pk = the_session
                AND EXISTS (SELECT 1 FROM {s}.messages WHERE session = the_session);
        END $$""",
        # Remove a few expired sessions that nobody asks for, without waiting for anybody.
        """CREATE FUNCTION {s}.sweep() RETURNS void LANGUAGE sql AS $$
            WITH expired AS (
                SELECT pk FROM {s}.sessions WHERE expires_at <= clock_timestamp()
                LIMIT 100 FOR UPDATE SKIP LOCKED
            ), emptied AS (
                DELETE FROM {s}.messages WHERE session IN (SELECT pk FROM expired)
            )
            DELETE FROM {s}.sessions WHERE pk IN (SELECT pk FROM expired)
        $$""",
    ),
    SNAPSHOTS,
    FACTS,
    SEARCH,
    STATE,
    (*RETRIES, *SWEEPING, *SUPERSEDING),
)


async def migrate(
    connection: "AsyncConnection[tuple[Any, ...]]",
    schema: str,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> None:
    """Bring the schema to the newest version, in one transaction, or refuse a newer one."""
    newest = len(migrations)
    if await _find_version(connection, schema, newest) == newest:
        return
    began = time.monotonic()
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        version = await _find_version(connection, schema, newest)  # now nobody else migrates
        if version == newest:
            return
        statements = [each for migration in migrations[version:] for each in migration]
        if version == 0:
            statements = [*_BEGINNING, *statements]
            # A role may own its schema without the right to create one.
            if not await _has_schema(connection, schema):
                statements.insert(0, "CREATE SCHEMA {s}")
        statements.append(f"UPDATE {{s}}.version SET number = {newest}")
        # One script instead of a round trip for each statement: half the time of a first opening.
        script = ";\n".join(statements).replace("{s}", quoted(schema))
        await connection.execute(script.encode(), prepare=False)  # nor can it be prepared
    seconds = time.monotonic() - began
    LOG.info("schema %r went from version %d to %d in %.2f s", schema, version, newest, seconds)


async def _has_schema(connection: "AsyncConnection[tuple[Any, ...]]", schema: str) -> bool:
    query = b"SELECT true FROM pg_namespace WHERE nspname = %s"
    return bool(await _value(connection, query, schema))


async def _find_version(
    connection: "AsyncConnection[tuple[Any, ...]]", schema: str, newest: int
) -> int:
    """The version of the schema: 0 if it is not there, an error if it is newer than ours."""
    # Not to_regclass(): it may answer from a cache that is older than our lock.
    query = b"SELECT true FROM pg_tables WHERE schemaname = %s AND tablename = 'version'"
    if not await _value(connection, query, schema):
        return 0
    version = int(await _value(connection, f"SELECT number FROM {quoted(schema)}.version".encode()))
    if version > newest:
        raise SchemaTooNewError(
            f"the schema {schema!r} has version {version} and this goldfish knows {newest}: "
            "pip install --upgrade goldfish"
        )
    return version


async def _value(connection: "AsyncConnection[tuple[Any, ...]]", query: bytes, *values: str) -> Any:
    """The first value of the first row, whatever rows the connection makes otherwise."""
    from psycopg.rows import tuple_row

    cursor = connection.cursor(row_factory=tuple_row)
    await cursor.execute(query, values or None)
    row = await cursor.fetchone()
    return row[0] if row else None


def quoted(name: str) -> str:
    """The name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_to_be_filled(name: str) -> str:
    """The same in a statement with placeholders, which begin with a percent sign."""
    return quoted(name).replace("%", "%%")

"""Bringing a schema to the newest version: the statements of each version, in their order."""

import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from goldfish.errors import SchemaTooNewError
from goldfish.stores.postgres.schema.v1_messages import MESSAGES
from goldfish.stores.postgres.schema.v2_snapshots import SNAPSHOTS
from goldfish.stores.postgres.schema.v3_facts import FACTS
from goldfish.stores.postgres.schema.v4_search import SEARCH
from goldfish.stores.postgres.schema.v5_state import STATE
from goldfish.stores.postgres.schema.v6_retries import RETRIES
from goldfish.stores.postgres.schema.v6_superseding import SUPERSEDING
from goldfish.stores.postgres.schema.v6_sweeping import SWEEPING
from goldfish.stores.postgres.schema.v7_linking import LINKING
from goldfish.stores.postgres.schema.v8_fact_marks import FACT_MARKS
from goldfish.stores.postgres.schema.v9_search_marks import SEARCH_MARKS
from goldfish.stores.postgres.schema.v10_reading_back import READING_BACK
from goldfish.stores.postgres.schema.v11_naming import NAMING
from goldfish.stores.postgres.schema.v12_forking import FORKING
from goldfish.stores.postgres.schema.v13_adding import ADDING

if TYPE_CHECKING:
    from psycopg import AsyncConnection

LOG = logging.getLogger("goldfish.stores.postgres")
LOCK = 0x676F6C64  # any fixed number: "gold"

_BEGINNING = (
    "CREATE TABLE {s}.version (number integer NOT NULL)",
    "INSERT INTO {s}.version VALUES (0)",
)
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    MESSAGES,
    SNAPSHOTS,
    FACTS,
    SEARCH,
    STATE,
    (*RETRIES, *SWEEPING, *SUPERSEDING),
    LINKING,
    FACT_MARKS,
    SEARCH_MARKS,
    READING_BACK,
    NAMING,
    FORKING,
    ADDING,
)


async def migrate(
    connection: "AsyncConnection[tuple[Any, ...]]",
    schema: str,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> None:
    """Bring the schema to the newest version in one transaction; refuse a newer one."""
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
        script = ";\n".join(statements).replace("{s}", quote_name(schema))
        await connection.execute(script.encode(), prepare=False)  # nor can it be prepared
    seconds = time.monotonic() - began
    LOG.info("schema %r went from version %d to %d in %.2f s", schema, version, newest, seconds)


async def _has_schema(connection: "AsyncConnection[tuple[Any, ...]]", schema: str) -> bool:
    query = b"SELECT true FROM pg_namespace WHERE nspname = %s"
    return bool(await _fetch_value(connection, query, schema))


async def _find_version(
    connection: "AsyncConnection[tuple[Any, ...]]", schema: str, newest: int
) -> int:
    """Return the version of the schema, 0 if there is none; raise if it is newer than ours."""
    # Not to_regclass(): it may answer from a cache that is older than our lock.
    query = b"SELECT true FROM pg_tables WHERE schemaname = %s AND tablename = 'version'"
    if not await _fetch_value(connection, query, schema):
        return 0
    version = int(
        await _fetch_value(connection, f"SELECT number FROM {quote_name(schema)}.version".encode())
    )
    if version > newest:
        raise SchemaTooNewError(
            f"the schema {schema!r} has version {version} and this goldfish knows {newest}: "
            "pip install --upgrade goldfish"
        )
    return version


async def _fetch_value(
    connection: "AsyncConnection[tuple[Any, ...]]", query: bytes, *values: str
) -> Any:
    """Return the first value of the first row, whatever the connection's row factory."""
    from psycopg.rows import tuple_row

    cursor = connection.cursor(row_factory=tuple_row)
    await cursor.execute(query, values or None)
    row = await cursor.fetchone()
    return row[0] if row else None


def quote_name(name: str) -> str:
    """Return the name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quote_in_statement(name: str) -> str:
    """Return it for a statement with placeholders, which begin with a percent sign."""
    return quote_name(name).replace("%", "%%")

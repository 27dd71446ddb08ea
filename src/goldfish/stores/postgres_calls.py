"""Running statements on PostgreSQL: one call, one statement, one transaction, one limit of time."""

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from goldfish.errors import MemoryStoreError
from goldfish.stores.per_loop import PerLoop
from goldfish.stores.postgres_errors import explain
from goldfish.stores.postgres_pool import SERVER_SHARE, Pool
from goldfish.stores.postgres_schema import migrate
from goldfish.stores.postgres_watch import Watch

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    Connection = AsyncConnection[tuple[Any, ...]]

LOG = logging.getLogger("goldfish.stores.postgres")

SLOW_SECONDS = 1.0

Rows = list[tuple[Any, ...]]


class PostgresCalls:
    """The way to the server for one schema, which is brought up to date by the first call.

    ``server`` names it in errors; ``timeout`` is the longest that a call takes, from waiting for a
    connection to the answer.
    """

    def __init__(self, pools: PerLoop[Pool], *, server: str, schema: str, timeout: float) -> None:
        self._pools = pools
        self._server = server
        self._schema = schema
        self._timeout = timeout
        self._limit = f"{timeout * SERVER_SHARE * 1000:.0f}ms"
        self._migrated = False

    async def rows(self, statement: bytes, values: list[Any]) -> Rows:
        """What the statement returns; or one kind of error."""
        now = asyncio.get_running_loop().time
        began = now()
        try:
            rows = await self._ask(self._pools.get(), began, statement, values)
        except MemoryStoreError:
            raise
        except Exception as error:  # only the driver runs in here, so all its errors count
            raise explain(error, self._server, self._timeout) from error
        if (seconds := now() - began) >= SLOW_SECONDS:
            LOG.warning("a call took %.2f s: %s", seconds, _name(statement))
        return rows

    async def aclose(self) -> None:
        """Close the connections."""
        await self._pools.aclose()

    async def _ask(self, pool: Pool, began: float, statement: bytes, values: list[Any]) -> Rows:
        connection = await pool.take(began + self._timeout)
        watch = Watch(connection, began, self._timeout)
        answered = False
        try:
            if not self._migrated:
                await migrate(connection, self._schema)
                self._migrated = True
            if pool.shared:
                rows = await self._run_in_transaction(connection, statement, values)
            else:
                rows = await _run(connection, statement, values)
            answered = True
            return rows
        except Exception as error:
            if watch.cut:
                raise TimeoutError("a write may still take effect") from error
            raise
        finally:
            watch.end()
            # After an error the connection may be in any state: nobody else shall have it.
            usable = answered and not watch.rang
            await pool.give_back(connection, usable=usable, stopping=watch.stopping)

    async def _run_in_transaction(
        self, connection: "Connection", statement: bytes, values: list[Any]
    ) -> Rows:
        """The same where nothing may be left set on the session: still one round trip."""
        from psycopg.rows import tuple_row

        cursor = connection.cursor(binary=True, row_factory=tuple_row)
        async with connection.pipeline():
            await connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            await connection.execute(f"SET LOCAL statement_timeout = '{self._limit}'".encode())
            await cursor.execute(statement, values)
            await connection.execute("COMMIT")
        return await cursor.fetchall() if cursor.description else []


async def _run(connection: "Connection", statement: bytes, values: list[Any]) -> Rows:
    cursor = connection.cursor(binary=True)
    await cursor.execute(statement, values)
    return await cursor.fetchall() if cursor.description else []


def _name(statement: bytes) -> str:
    """The beginning of a statement of ours, in which no value of the caller stands."""
    return " ".join(statement.decode().split())[:60]

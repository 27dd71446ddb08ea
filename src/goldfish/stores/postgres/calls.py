"""Statements on PostgreSQL: one call is one statement, one transaction, with one limit of time."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from goldfish.errors import MemoryStoreError
from goldfish.stores.per_loop import PerLoop
from goldfish.stores.postgres.direct import DirectLane
from goldfish.stores.postgres.errors import explain, is_refusal
from goldfish.stores.postgres.pool import Pool
from goldfish.stores.postgres.schema.migration import migrate
from goldfish.stores.postgres.watch import Times, Watch, format_milliseconds

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    Connection = AsyncConnection[tuple[Any, ...]]

LOG = logging.getLogger("goldfish.stores.postgres")

SLOW_SECONDS = 1.0
_BEGIN = """BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = '{limit}';
SET LOCAL idle_in_transaction_session_timeout = '{limit}'"""

Rows = list[tuple[Any, ...]]
Run = Callable[[bytes, list[Any]], Awaitable[Rows]]  # runs one statement with its values


class PostgresCalls:
    """Runs the statements of one store; the first one brings the schema up to date.

    ``server`` names it in errors, ``address`` has the secrets that must not be in them. A call
    takes no longer than its times say, from waiting for a connection to the answer.
    """

    def __init__(
        self, pools: PerLoop[Pool], *, server: str, address: str, schema: str, times: Times
    ) -> None:
        self._pools = pools
        self._address = address
        self._server = server
        self._schema = schema
        self._times = times
        self._migrated = False
        self._lane = DirectLane(self._open_for_thread, times)

    async def run(self, statement: bytes, values: list[Any], began: float | None = None) -> Rows:
        """Run the statement; return its rows, or raise one kind of error.

        ``began`` is when the call began, by the clock of the event loop, if that is not now.
        """
        return await self._run(statement, values, began, migrating=not self._migrated)

    def try_run(self, statement: bytes, values: list[Any]) -> Rows | None:
        """Do the same in the caller's thread, without an event loop; None if it was not sent."""
        if not self._migrated:
            return None
        began = time.monotonic()
        try:
            rows = self._lane.try_run(statement, values)
        except Exception as error:
            raise explain(error, self._server, self._times.whole, self._address) from error
        _log_slow(statement, time.monotonic() - began)
        return rows

    async def run_without_schema(self, statement: bytes, values: list[Any]) -> Rows:
        """Do the same without a look at the schema, which may be missing or of another version."""
        return await self._run(statement, values, None, migrating=False)

    async def aclose(self) -> None:
        """Close the connections."""
        self._lane.close()
        await self._pools.aclose()

    async def _run(
        self, statement: bytes, values: list[Any], began: float | None, *, migrating: bool
    ) -> Rows:
        now = asyncio.get_running_loop().time
        began = now() if began is None else began
        try:
            rows = await self._run_on_connection(
                self._pools.get(), began, statement, values, migrating
            )
        except MemoryStoreError:
            raise
        except Exception as error:  # only the driver runs in here, so all its errors count
            raise explain(error, self._server, self._times.whole, self._address) from error
        _log_slow(statement, now() - began)
        return rows

    async def _open_for_thread(self) -> "Connection | None":
        deadline = asyncio.get_running_loop().time() + self._times.to_begin
        return await self._pools.get().open_another(deadline)

    async def _run_on_connection(
        self, pool: Pool, began: float, statement: bytes, values: list[Any], migrating: bool
    ) -> Rows:
        connection = await pool.take(began + self._times.to_begin)
        watch = Watch(connection, began, self._times)
        usable = False
        try:
            if migrating:
                await migrate(connection, self._schema)
                self._migrated = True
            left = began + self._times.on_server - asyncio.get_running_loop().time()
            # The limit that is set on our own sessions would come too late for a late statement.
            if pool.shared or left < self._times.to_begin:
                rows = await _execute_in_transaction(connection, statement, values, left)
            else:
                rows = await _execute(connection, statement, values)
            usable = True
            return rows
        except Exception as error:
            if watch.is_cut:
                raise TimeoutError("no answer (a write may still take effect)") from error
            # A refusal leaves the connection as it was; after anything else it is closed.
            usable = is_refusal(error, connection)
            raise
        finally:
            watch.end()
            usable = usable and not watch.is_cancelled
            await pool.release(connection, usable=usable, stopping=watch.stopping)


async def _execute(connection: "Connection", statement: bytes, values: list[Any]) -> Rows:
    cursor = connection.cursor(binary=True)
    await cursor.execute(statement, values)
    # Not its description: that would be made for every call.
    answer = cursor.pgresult
    return await cursor.fetchall() if answer is not None and answer.nfields else []


async def _execute_in_transaction(
    connection: "Connection", statement: bytes, values: list[Any], seconds: float
) -> Rows:
    """Do the same with a limit of its own, leaving nothing set on the session.

    It takes three round trips. There are poolers that lose their way in a pipeline, and a single
    script would have the values in its text, quoted as the server was said to read them.
    """
    from psycopg import Error
    from psycopg.rows import tuple_row

    begin = _BEGIN.replace("{limit}", format_milliseconds(seconds))
    cursor = connection.cursor(binary=True, row_factory=tuple_row)
    try:
        await connection.execute(begin.encode(), prepare=False)
        await cursor.execute(statement, values)
        rows = await cursor.fetchall() if cursor.description else []
        await connection.execute("COMMIT", prepare=False)
    except Error:
        if not connection.closed:
            await connection.rollback()
        raise
    return rows


def _log_slow(statement: bytes, seconds: float) -> None:
    if seconds >= SLOW_SECONDS:
        LOG.info("a call took %.2f s: %s", seconds, _abbreviate(statement))


def _abbreviate(statement: bytes) -> str:
    """Return the beginning of a statement; it holds no value of the caller."""
    return " ".join(statement.decode().split())[:60]

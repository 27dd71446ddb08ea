"""Connections to PostgreSQL, kept for the next call.

Not psycopg_pool, because of two things a memory needs: a server that is down must be an error
with its reason at once (that pool retries in the background and reports a time-out), and after a
restart of the server no call may be given a dead connection. The rest of a pool is a list.
"""

import asyncio
import select
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    Connection = AsyncConnection[tuple[Any, ...]]


class PostgresPool:
    """The connections of one event loop: at most ``size``, opened when they are needed."""

    def __init__(self, dsn: str, *, size: int, timeout: float) -> None:
        self._dsn = dsn
        self._timeout = timeout
        self._idle: list[Connection] = []
        self._places = asyncio.Semaphore(size)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator["Connection"]:
        """A connection that was alive a moment ago, for one caller at a time."""
        async with self._places:
            connection = self._reusable() or await self._connect()
            try:
                yield connection
            finally:
                await self._give_back(connection)

    async def aclose(self) -> None:
        """Close the idle connections; busy ones are closed when they are given back."""
        self._timeout = 0
        while self._idle:
            await self._idle.pop().close()

    def _reusable(self) -> "Connection | None":
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed and not _has_news(connection.fileno()):
                return connection
            connection.pgconn.finish()  # the server hung up, or says that it is about to
        return None

    async def _connect(self) -> "Connection":
        from psycopg import AsyncConnection

        connection = await AsyncConnection.connect(
            self._dsn,
            autocommit=True,
            connect_timeout=max(2, round(self._timeout)),  # libpq takes whole seconds from 2 on
            application_name="goldfish",
        )
        try:
            await connection.execute(SESSION_SETTINGS)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _give_back(self, connection: "Connection") -> None:
        from psycopg.pq import TransactionStatus

        idle = connection.info.transaction_status == TransactionStatus.IDLE
        if idle and self._timeout and not connection.closed:
            self._idle.append(connection)
        else:
            connection.pgconn.finish()  # in mid-query or broken: no goodbye that could block


# Each call is one statement; what it sees must be what is committed when it begins.
SESSION_SETTINGS = "SET default_transaction_isolation = 'read committed'"


def _has_news(descriptor: int) -> bool:
    """Whether an idle connection has something to read: the end, or an error that precedes it."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


PoolMaker = Callable[[], PostgresPool]

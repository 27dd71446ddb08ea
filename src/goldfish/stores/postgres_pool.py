"""Connections to PostgreSQL, kept for the next call.

Not psycopg_pool, because of two things a memory needs: a server that is down must be an error
with its reason at once (that pool retries in the background and reports a time-out), and after a
restart of the server no call may be given a dead connection. The rest of a pool is a list.
"""

import asyncio
import contextlib
import os
import select
import socket
import time
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
        self._closed = False

    def connection(self) -> "_Lease":
        """A connection that was alive a moment ago, for one caller, for a limited time."""
        return _Lease(self)

    async def _take(self) -> "Connection":
        if self._places.locked():
            async with asyncio.timeout(self._timeout):
                await self._places.acquire()
        else:
            await self._places.acquire()
        try:
            return self._reusable() or await self._connect()
        except BaseException:
            self._places.release()
            raise

    async def aclose(self) -> None:
        """Close the idle connections; busy ones are closed when they are given back."""
        self._closed = True
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

        async with asyncio.timeout(self._timeout):
            connection = await AsyncConnection.connect(
                self._dsn,
                autocommit=True,
                connect_timeout=max(2, round(self._timeout)),  # libpq takes whole seconds from 2 on
                application_name="goldfish",
            )
            try:
                await connection.execute(SESSION_SETTINGS)
            except BaseException:
                connection.pgconn.finish()
                raise
        return connection

    def _give_back(self, connection: "Connection", *, usable: bool) -> None:
        if usable and not self._closed:
            self._idle.append(connection)
        else:
            connection.pgconn.finish()
        self._places.release()


class _Lease:
    """The use of one connection, which is shut down when its time is over.

    A cancelled psycopg call first asks the server to stop and waits for the answer, which takes
    long if the server does not answer. A connection that is shut down ends the call at once.
    """

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def __aenter__(self) -> "Connection":
        self._connection = await self._pool._take()
        self._began = time.monotonic()
        self._alarm = asyncio.get_running_loop().call_later(
            self._pool._timeout, _hang_up, self._connection
        )
        return self._connection

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._alarm.cancel()
        # After an error the connection may be in any state: nobody else shall have it.
        self._pool._give_back(self._connection, usable=error is None)
        late = time.monotonic() - self._began >= self._pool._timeout
        if late and isinstance(error, Exception):
            raise TimeoutError from error


def _hang_up(connection: "Connection") -> None:
    with (
        contextlib.suppress(OSError),  # it is closed already
        socket.socket(fileno=os.dup(connection.fileno())) as line,
    ):
        line.shutdown(socket.SHUT_RDWR)


# Each call is one statement; what it sees must be what is committed when it begins.
SESSION_SETTINGS = "SET default_transaction_isolation = 'read committed'"


def _has_news(descriptor: int) -> bool:
    """Whether an idle connection has something to read: the end, or an error that precedes it."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))

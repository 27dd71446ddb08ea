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
from collections.abc import AsyncIterator
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
        self._closed = False

    @asynccontextmanager
    async def connection(self) -> AsyncIterator["Connection"]:
        """A connection that was alive a moment ago, for one caller, for a limited time."""
        async with asyncio.timeout(self._timeout):
            await self._places.acquire()
        try:
            async with asyncio.timeout(self._timeout):
                connection = self._reusable() or await self._connect()
            async with _hung_up_after(self._timeout, connection):
                yield connection
            self._give_back(connection)
        finally:
            self._places.release()

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

    def _give_back(self, connection: "Connection") -> None:
        if self._closed:
            connection.pgconn.finish()
        else:
            self._idle.append(connection)


@asynccontextmanager
async def _hung_up_after(seconds: float, connection: "Connection") -> AsyncIterator[None]:
    """Shut the connection down when the time is over, or when anything else goes wrong.

    A cancelled psycopg call first asks the server to stop and waits for the answer, which takes
    long if the server does not answer. A connection that is shut down ends the call at once.
    """
    alarm = asyncio.get_running_loop().call_later(seconds, _hang_up, connection)
    began = time.monotonic()
    try:
        yield
    except Exception as error:
        connection.pgconn.finish()  # in whatever state it is: nobody else shall have it
        if time.monotonic() - began >= seconds:
            raise TimeoutError from error
        raise
    except BaseException:
        connection.pgconn.finish()
        raise
    finally:
        alarm.cancel()


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

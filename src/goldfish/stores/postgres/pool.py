"""Connections to PostgreSQL, kept for the next call: our own, or those of the caller's pool.

Ours is not psycopg_pool, because of two things a memory needs: a server that is down must be an
error with its reason at once (that pool retries in the background and reports a time-out), and
after a restart of the server no call may be given a dead connection. The rest of a pool is a list.
"""

import asyncio
import inspect
import logging
import select
from typing import TYPE_CHECKING, Any, Protocol

from goldfish.stores.postgres.arrays import speed_up
from goldfish.stores.postgres.errors import NoFreeConnectionError
from goldfish.stores.postgres.watch import Times, format_milliseconds

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    Connection = AsyncConnection[tuple[Any, ...]]

LOG = logging.getLogger("goldfish.stores.postgres")


class Pool(Protocol):
    """Lends connections to calls."""

    @property
    def shared(self) -> bool:
        """True if others use its sessions, so that nothing may be left set or prepared on them."""

    async def take(self, deadline: float) -> "Connection":
        """Return a connection that was alive a moment ago, or raise ``TimeoutError``."""

    async def release(
        self, connection: "Connection", *, usable: bool, stopping: "asyncio.Task[None] | None"
    ) -> None:
        """Take a connection back, and close it if it is not usable.

        Its slot stays taken until the task that still stops its statement has ended.
        """

    async def open_another(self, deadline: float) -> "Connection | None":
        """Return a connection beside those of the pool, or None if it would not be ours alone."""

    async def aclose(self) -> None:
        """Close what is ours."""


class PostgresPool:
    """Our own connections for one event loop: at most ``size``, opened when they are needed.

    ``pooler`` says whether they lead to a pooler, which lends a session for one transaction; None
    finds out.
    """

    def __init__(self, dsn: str, *, size: int, times: Times, pooler: bool | None) -> None:
        self._dsn = dsn
        self._times = times
        self._pooler = pooler
        self._idle: list[Connection] = []
        self._size = size
        self._slots = asyncio.Semaphore(size)
        self._closed = False
        self.shared = pooler is True

    async def take(self, deadline: float) -> "Connection":
        """Return an idle connection, or a new one if there are fewer than ``size``."""
        if self._slots.locked():
            await self._wait_for_slot(deadline)
        else:
            await self._slots.acquire()
        try:
            return self._take_idle() or await self._connect(deadline)
        except BaseException:
            self._slots.release()
            raise

    async def release(
        self, connection: "Connection", *, usable: bool, stopping: "asyncio.Task[None] | None"
    ) -> None:
        """Keep it for the next call, or close it."""
        if usable and not self._closed:
            self._idle.append(connection)
        else:
            connection.pgconn.finish()
        if stopping is None:
            self._slots.release()
        else:
            # The server did not answer: those that are idle may lead nowhere, too.
            self._drop_idle()
            stopping.add_done_callback(lambda _: self._slots.release())

    async def open_another(self, deadline: float) -> "Connection | None":
        """Return a connection for threads without an event loop, unless a pooler is in front."""
        connection = None if self.shared else await self._connect(deadline)
        if connection is not None and self.shared:  # as it turned out
            connection.pgconn.finish()
            return None
        return connection

    async def aclose(self) -> None:
        """Close the idle connections; busy ones are closed when they are given back."""
        self._closed = True
        while self._idle:
            await self._idle.pop().close()

    async def _wait_for_slot(self, deadline: float) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                await self._slots.acquire()
        except TimeoutError:
            raise NoFreeConnectionError(self._size) from None

    def _take_idle(self) -> "Connection | None":
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed and not is_readable(connection.fileno()):
                return connection
            connection.pgconn.finish()  # the server hung up, or says that it is about to
            LOG.info("an idle connection was closed by the server: opening another")
        return None

    def _drop_idle(self) -> None:
        while self._idle:
            self._idle.pop().pgconn.finish()

    async def _connect(self, deadline: float) -> "Connection":
        from psycopg import AsyncConnection

        async with asyncio.timeout_at(deadline):
            connection = await AsyncConnection.connect(
                self._dsn, autocommit=True, **_choose_defaults(self._dsn, self._times.whole)
            )
            try:
                await self._prepare(connection)
            except BaseException:
                connection.pgconn.finish()
                raise
        return connection

    async def _prepare(self, connection: "Connection") -> None:
        """Set what our statements need, unless the session belongs to a pooler."""
        if not self.shared:
            values = [self._pooler is False, connection.info.backend_pid]
            limit = format_milliseconds(self._times.on_server)
            found = await connection.execute(_SETTINGS, [*values, limit], prepare=False)
            if (await found.fetchone() or (None,))[0] is None:
                LOG.info("a pooler is in front of the server: nothing is set or prepared there")
                self.shared = True
        if self.shared:
            connection.prepare_threshold = None
        speed_up(connection)


class BorrowedPool:
    """The caller's psycopg pool, which stays the caller's to open and to close."""

    shared = True

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._to_restore: set[Connection] = set()

    async def take(self, deadline: float) -> "Connection":
        """Return a connection of the pool, in autocommit."""
        left = deadline - asyncio.get_running_loop().time()
        connection: Connection = await self._pool.getconn(timeout=max(0.001, left))
        if not connection.autocommit:
            self._to_restore.add(connection)
            await connection.set_autocommit(True)  # without a round trip
        return connection

    async def release(
        self, connection: "Connection", *, usable: bool, stopping: "asyncio.Task[None] | None"
    ) -> None:
        """Return it as it was; the pool replaces a closed one."""
        if usable and connection in self._to_restore:
            await connection.set_autocommit(False)
        self._to_restore.discard(connection)
        if not usable:
            connection.pgconn.finish()
        await self._pool.putconn(connection)

    async def open_another(self, deadline: float) -> None:
        """Return None: the connections are the caller's."""

    async def aclose(self) -> None:
        """Do nothing: the pool is the caller's."""


def require_async_pool(pool: Any) -> Any:
    """Return the pool if it is an asynchronous one, else raise TypeError."""
    take, give = getattr(pool, "getconn", None), getattr(pool, "putconn", None)
    if not (inspect.iscoroutinefunction(take) and inspect.iscoroutinefunction(give)):
        kind = type(pool).__name__
        raise TypeError(f"pool must be a psycopg_pool.AsyncConnectionPool, not {kind}")
    return pool


# A pooler makes up the number of the server's process that it tells its clients. Each call is one
# statement; what it sees must be what is committed when it begins.
_SETTINGS = """SELECT CASE WHEN %s OR pg_backend_pid() = %s THEN
    set_config('statement_timeout', %s, false)
    || set_config('default_transaction_isolation', 'read committed', false) END"""


def _choose_defaults(dsn: str, timeout: float) -> dict[str, Any]:
    """Return options for libpq that the address does not set."""
    from psycopg.conninfo import conninfo_to_dict

    chosen = conninfo_to_dict(dsn)
    wanted = {
        "connect_timeout": max(2, round(timeout)),  # libpq takes whole seconds from 2 on
        "fallback_application_name": "goldfish",
        # A server that vanished without a word is noticed, and what it has not seen is not resent.
        "tcp_user_timeout": max(1, round(timeout * 1000)),
        "keepalives_idle": 60,
        "keepalives_interval": 10,
        "keepalives_count": 3,
    }
    return {name: value for name, value in wanted.items() if chosen.get(name) is None}


def is_readable(descriptor: int) -> bool:
    """Return True if an idle connection has something to read: its end, or an error before it."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))

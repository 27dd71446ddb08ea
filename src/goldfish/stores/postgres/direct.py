"""The lane for threads without an event loop: statements whose answer is awaited in the thread.

A hop to an event loop and back takes longer than many a statement. The lane has one connection,
which is opened in the background, as all others are. Whoever finds it in use, or not there, takes
the way through the loop.
"""

import contextlib
import select
import threading
import time
from collections.abc import Callable, Coroutine, Generator
from functools import cache
from typing import TYPE_CHECKING, Any

from goldfish.stores.forks import call_after_fork
from goldfish.stores.postgres.arrays import speed_up
from goldfish.stores.postgres.errors import is_refusal
from goldfish.stores.postgres.pool import is_readable
from goldfish.stores.postgres.watch import Times, cut_connection
from goldfish.threads import begin

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    Opened = AsyncConnection[tuple[Any, ...]]

Rows = list[tuple[Any, ...]]
Open = Callable[[], Coroutine[Any, Any, "Opened | None"]]


class DirectLane:
    """One connection for threads without an event loop; ``open`` opens it in a loop.

    The server itself ends a statement in time; if it does not answer, the connection is cut.
    """

    def __init__(self, open: Open, times: Times) -> None:  # noqa: A002 - what it does
        self._open = open
        self._times = times
        self._closed = False
        self._inherited: list[object] = []
        self._begin()
        call_after_fork(self)

    def _begin(self) -> None:
        self._gate = threading.Lock()  # held by whoever uses the connection, or changes it
        self._opened: Opened | None = None
        self._connection: Any = None  # the same, as threads use it
        self._is_opening = False

    def after_fork(self) -> None:
        """Leave the connection to the parent."""
        self._inherited += [self._opened, self._connection]  # what nobody holds would be closed
        self._begin()

    def try_run(self, statement: bytes, values: list[Any]) -> Rows | None:
        """Run the statement here; return its rows, or None if it was not sent."""
        if self._closed or not self._gate.acquire(blocking=False):
            return None
        try:
            if self._connection is not None and is_readable(self._connection.fileno()):
                self._disconnect()  # the server hung up, or says that it is about to
            if self._connection is None:
                self._open_soon()
                return None
            return self._run(statement, values)
        finally:
            if self._closed:
                self._disconnect()
            self._gate.release()

    def close(self) -> None:
        """Close the connection; whoever uses it closes it at the end of the call."""
        self._closed = True
        if self._gate.acquire(blocking=False):
            self._disconnect()
            self._gate.release()

    def _run(self, statement: bytes, values: list[Any]) -> Rows:
        connection = self._connection
        connection.deadline = time.monotonic() + self._times.whole
        usable = False
        try:
            cursor = connection.cursor(binary=True)
            cursor.execute(statement, values)
            answer = cursor.pgresult
            rows = cursor.fetchall() if answer is not None and answer.nfields else []
            usable = True
            return rows
        except Exception as error:
            usable = is_refusal(error, connection)
            raise
        finally:
            if not usable:
                if not connection.closed:
                    cut_connection(connection)
                self._disconnect()

    def _open_soon(self) -> None:
        if not self._is_opening:
            self._is_opening = True
            begin(self._connect())

    async def _connect(self) -> None:
        """Open the connection; if that fails, the calls that take the other way say why."""
        opened = None
        with contextlib.suppress(Exception):
            opened = await self._open()
        with self._gate:
            self._is_opening = False
            if opened is None:
                return
            self._opened = opened
            self._connection = _make_class()(opened.pgconn)
            self._connection.set_autocommit(True)
            speed_up(self._connection)
            if self._closed:
                self._disconnect()

    def _disconnect(self) -> None:
        if self._opened is not None:
            self._opened.pgconn.finish()
        self._opened = self._connection = None


@cache
def _make_class() -> Any:
    """Return psycopg's class for threads, whose calls end at a deadline."""
    from psycopg import Connection

    class TimedConnection(Connection[tuple[Any, ...]]):
        deadline = 0.0

        def wait(self, gen: Generator[Any, Any, Any], *_: Any, **__: Any) -> Any:
            return _wait(gen, self.pgconn.socket, self.deadline)

    return TimedConnection


def _wait(generator: Generator[Any, Any, Any], descriptor: int, deadline: float) -> Any:
    """Return the result of one of psycopg's generators, which yield what they wait for."""
    from psycopg.waiting import Ready, Wait

    poll = select.poll()
    try:
        wanted = next(generator)
        while True:
            reads, writes = wanted & Wait.R, wanted & Wait.W
            poll.register(
                descriptor, (select.POLLIN if reads else 0) | (select.POLLOUT if writes else 0)
            )
            left = deadline - time.monotonic()
            found = poll.poll(max(0.0, left) * 1000)
            if not found:
                raise TimeoutError("no answer (a write may still take effect)")
            event = found[0][1]
            ready = Ready.R if reads and event & ~select.POLLOUT else 0
            ready |= Ready.W if writes and event & ~select.POLLIN else 0
            wanted = generator.send(ready)
    except StopIteration as end:
        return end.value

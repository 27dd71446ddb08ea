"""The limits of a call: when its statement is ended, cancelled, and the connection cut."""

import asyncio
import contextlib
import logging
import os
import socket
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    Connection = AsyncConnection[tuple[Any, ...]]

LOG = logging.getLogger("goldfish.stores.postgres")

CANCEL_SECONDS = 5.0  # a cancel request takes a connection of its own, for this long at most


class Times(NamedTuple):
    """Limits of a call, in seconds after it began."""

    to_begin: float  # it has a connection, or its statement is not sent
    on_server: float  # the server itself ends the statement; then nothing was written
    to_cancel: float  # we ask the server to end it
    whole: float  # we cut the connection

    @classmethod
    def of(cls, timeout: float) -> "Times":
        """Return the limits of a call that may take so long in all."""
        return cls(0.8 * timeout, 0.9 * timeout, 0.95 * timeout, timeout)


def format_milliseconds(seconds: float) -> str:
    """Return the time as the server's settings take it, where 0 would mean no limit."""
    return f"{max(1, round(seconds * 1000))}ms"


class Watch:
    """The time that one call may use a connection.

    A server that answers ends the statement itself, or because we ask it to, shortly before the
    time is over: so the call knows what became of it. If the server does not answer, the connection
    is cut, which ends the call at once.
    """

    def __init__(self, connection: "Connection", began: float, times: Times) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._caller = asyncio.current_task()
        self._cancelled_before = self._caller.cancelling() if self._caller else 0
        self._deadline = began + times.whole
        self._alarm = self._loop.call_at(began + times.to_cancel, self._cancel)
        self._stopping: asyncio.Task[None] | None = None
        self._interrupted = False
        self.is_cut = False

    @property
    def is_cancelled(self) -> bool:
        """True if the statement was cancelled: then nobody else may use the connection.

        The request may arrive late, and would hit the next statement.
        """
        return self._stopping is not None

    @property
    def stopping(self) -> "asyncio.Task[None] | None":
        """The cancel request, if it is still under way."""
        return None if self._stopping is None or self._stopping.done() else self._stopping

    def end(self) -> None:
        """Stop watching: the call is over."""
        self._alarm.cancel()
        if self._interrupted and self._caller is not None:
            self._caller.uncancel()

    def _cancel(self) -> None:
        self._stopping = self._loop.create_task(_cancel_on_server(self._connection))
        self._alarm = self._loop.call_at(self._deadline, self._cut)

    def _cut(self) -> None:
        self.is_cut = True
        cut_connection(self._connection)
        if self._caller is not None and self._caller.cancelling() > self._cancelled_before:
            # psycopg itself is waiting for an answer to the cancel request of a cancelled call.
            self._interrupted = self._caller.cancel()


async def _cancel_on_server(connection: "Connection") -> None:
    try:
        await connection.cancel_safe(timeout=CANCEL_SECONDS)
    except Exception as error:
        kind = type(error).__name__
        LOG.info("a call was given up, and the server did not take its cancel request: %s", kind)
    else:
        LOG.info("a call was given up and cancelled on the server")


def cut_connection(connection: "Connection") -> None:
    """End a connection whose server does not answer."""
    with (
        contextlib.suppress(OSError),  # it is closed already
        socket.socket(fileno=os.dup(connection.fileno())) as copy,
    ):
        # What the server has not received is dropped, not sent when the server is back.
        with contextlib.suppress(OSError):
            copy.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        copy.shutdown(socket.SHUT_RDWR)

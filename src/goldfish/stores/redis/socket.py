"""A connection to Redis without redis-py in between: commands out, parsed answers in.

redis-py connects, so credentials, TLS, sockets and databases are its affair; then its socket is
taken over. What it does for each command (streams, locks, time-outs, parsing in steps) takes longer
than most commands do; here hiredis gets the bytes as they come.
"""

import asyncio
import contextlib
import math
import select
import struct
from collections.abc import Callable, Sequence
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

BUFFER = 64 * 1024
_INCOMPLETE = object()  # what the parser answers while an answer is not complete


def take_over(connection: Any) -> "RedisSocket | None":
    """Take over the socket of a redis-py connection; return None if it is of an unknown kind."""
    try:
        transport, parser = connection._writer.transport, connection._parser
        unread = bool(connection._reader._buffer) or parser._reader.has_data()
        if unread or connection.encoder.decode_responses or transport.is_closing():
            return None
        socket = RedisSocket(transport, parser.parse_error)
    except (ImportError, AttributeError):  # no hiredis, or a connection unlike those we know
        return None
    transport.set_protocol(socket)
    return socket


class RedisSocket(asyncio.BufferedProtocol):
    """A connection for one exchange after another; after one that failed it is of no use."""

    def __init__(self, transport: asyncio.Transport, error: Callable[[str], Exception]) -> None:
        import hiredis

        self._transport = transport
        self._replaced = transport.get_protocol()
        self._pack = hiredis.pack_command
        self._reader = hiredis.Reader(replyError=error, notEnoughData=_INCOMPLETE)
        self._feed: Any = self._reader.feed  # which takes a bytearray, says the code of hiredis
        self._push = getattr(hiredis, "PushNotification", ())  # hiredis 3.2 and later
        self._buffer = bytearray(BUFFER)
        self._space = memoryview(self._buffer)  # asyncio slices it, which must not copy
        self._poll = _make_poll(transport)
        self._loop = asyncio.get_running_loop()
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._expected = 0
        self._answers: list[Any] = []
        self._done: asyncio.Future[list[Any]] | None = None

    def is_quiet(self) -> bool:
        """Return True if the connection is open for sure: nothing came, not even its end."""
        return not self._transport.is_closing() and (self._poll is None or not self._poll.poll(0))

    async def is_open(self) -> bool:
        """Return True if the server has not hung up, also if the event loop does not know yet."""
        if not self.is_quiet():
            await asyncio.sleep(0)  # the loop looks at its sockets after the tasks
            await asyncio.sleep(0)
        return not self._transport.is_closing()

    def exchange(
        self, commands: Sequence[tuple[Any, ...]], due: float
    ) -> "asyncio.Future[list[Any]]":
        """Send at least one command; the future gets all answers, and errors are answers too.

        It gets a TimeoutError when they are ``due``, which is a time of the event loop.
        """
        done = self._done = self._loop.create_future()
        self._expected, self._due = len(commands), due
        self._set_timer()
        self._transport.write(b"".join(map(self._pack, commands)))
        return done

    def abort(self) -> None:
        """Close at once: what is not sent yet never is, and answers are not waited for."""
        abort(self._transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer for the next bytes."""
        return self._space

    def buffer_updated(self, nbytes: int) -> None:
        """Parse what came; the last answer ends the exchange."""
        try:
            self._feed(self._buffer, 0, nbytes)
            self._parse()
        except Exception as error:  # not the protocol of Redis
            self._fail(error)
            self._transport.abort()

    def _parse(self) -> None:
        while (answer := self._reader.gets()) is not _INCOMPLETE:
            if isinstance(answer, self._push):  # which belongs to no command
                continue
            if not self._expected:
                raise ConnectionError("the server answered more than it was asked")
            self._answers.append(answer)
            if len(self._answers) == self._expected:
                self._finish()

    def _finish(self) -> None:
        answers, done = self._answers, self._done
        self._expected, self._answers, self._done = 0, [], None
        if done is not None and not done.done():
            done.set_result(answers)

    def eof_received(self) -> None:
        """The server hung up: returning nothing closes this end as well."""

    def connection_lost(self, error: Exception | None) -> None:
        """Fail the exchange under way, and tell redis-py, which may wait for the end."""
        if self._timer is not None:
            self._timer.cancel()
        lost = ConnectionError("the connection was closed before the answer came")
        lost.__cause__ = error
        self._fail(lost)
        self._replaced.connection_lost(error)

    def _fail(self, error: Exception) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(error)

    def _set_timer(self) -> None:
        """Make sure that a timer ends the exchange when it is due; one for each would cost more."""
        timer = self._timer
        if self._due == math.inf or (timer is not None and timer.when() <= self._due):
            return
        if timer is not None:
            timer.cancel()
        self._timer = self._loop.call_at(self._due, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self._done is None:
            return
        if self._loop.time() < self._due:
            self._set_timer()
        else:
            self._fail(TimeoutError())


def abort(transport: asyncio.WriteTransport) -> None:
    """Close a connection without sending what waits to be sent, here or in the system."""
    socket = transport.get_extra_info("socket")
    if socket is not None and socket.fileno() >= 0:
        with contextlib.suppress(OSError):  # not every kind of socket knows this
            socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def _make_poll(transport: asyncio.Transport) -> "select.poll | None":
    """Return a poll object that tells if there is something to read, where the system has one."""
    socket = transport.get_extra_info("socket")
    if socket is None or not hasattr(select, "poll"):
        return None
    poller = select.poll()
    poller.register(socket.fileno(), select.POLLIN)
    return poller

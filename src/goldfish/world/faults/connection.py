"""One connection through a proxy: a client's socket, one to the server, and what passes between."""

import asyncio
import contextlib
import socket
import struct
from dataclasses import dataclass
from typing import Any

from goldfish.world.faults.conditions import REQUEST_TAIL, Conditions, Cut

CHUNK = 1 << 16


@dataclass
class Counts:
    """Counts of what has gone through a proxy since it was made."""

    connections: int = 0
    arrivals: int = 0
    requests: int = 0
    replies: int = 0
    cuts: int = 0


@dataclass(frozen=True)
class Upstream:
    """The address of the server."""

    family: socket.AddressFamily
    address: Any

    @classmethod
    def of(cls, host: str, port: int) -> "Upstream":
        """Look up a host by name or number."""
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return cls(family, address)


class CutOffError(Exception):
    """The connection is to be reset here."""


class Connection:
    """Forwards bytes both ways until an end closes or a fault cuts it."""

    def __init__(
        self, client: socket.socket, upstream: Upstream, conditions: Conditions, counts: Counts
    ):
        self._client = client
        self._server = socket.socket(upstream.family, socket.SOCK_STREAM)
        self._upstream = upstream
        self._conditions = conditions
        self._counts = counts
        self._request = b""  # since the last reply began
        self._cut: Cut | None = None
        self._replied = 0
        self._connected = asyncio.Event()
        self._server_ended = False
        self._reset = False
        self._silent = False
        for each in self.sockets:
            each.setblocking(False)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.task = asyncio.get_running_loop().create_task(self._run())

    @property
    def sockets(self) -> tuple[socket.socket, socket.socket]:
        """Both ends."""
        return self._client, self._server

    async def end(self, *, reset: bool) -> None:
        """Stop forwarding and close both ends: in the orderly way, or with a reset."""
        self._reset = reset
        self._silent = False
        await self._stop()
        self._close()

    async def fall_silent(self) -> None:
        """Stop forwarding for ever, and leave both ends open."""
        self._silent = True
        await self._stop()

    async def _stop(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as pumps:
                pumps.create_task(self._forward_requests())
                pumps.create_task(self._forward_replies())
        except* (OSError, CutOffError):
            self._reset = True  # what happened at one end happens at the other
        finally:
            if not self._silent:
                self._close()

    def _close(self) -> None:
        for each in self.sockets:
            if each.fileno() >= 0:
                if self._reset:
                    reset_on_close(each)
                each.close()

    async def _forward_requests(self) -> None:
        loop = asyncio.get_running_loop()
        while data := await loop.sock_recv(self._client, CHUNK):
            self._counts.arrivals += 1
            await self._conditions.wait_to_pass()
            await self._connected.wait()
            self._request = (self._request + data)[-REQUEST_TAIL:]
            try:
                await loop.sock_sendall(self._server, data)
                self._counts.requests += 1
            except ConnectionError:
                # A server that takes no more may have said why: the client gets that first.
                if self._server_ended:
                    raise
        await self._conditions.wait_to_pass()
        await self._connected.wait()
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_WR)

    async def _forward_replies(self) -> None:
        loop = asyncio.get_running_loop()
        await self._conditions.wait_while_hanging()
        await loop.sock_connect(self._server, self._upstream.address)
        self._connected.set()
        while data := await loop.sock_recv(self._server, CHUNK):
            if self._request:
                self._cut, self._replied = self._conditions.find_cut(self._request), 0
                self._request = b""
            await self._cut_or_pass(data)
        self._server_ended = True
        await self._conditions.wait_to_pass()
        self._client.shutdown(socket.SHUT_WR)

    async def _cut_or_pass(self, data: bytes) -> None:
        cut = self._cut
        if cut is not None and self._conditions.is_due(cut):
            allowed = cut.after_bytes - self._replied
            if allowed < len(data):
                cut.times -= 1
                await self._deliver(data[:allowed])
                self._counts.cuts += 1
                raise CutOffError
        self._replied += len(data)
        await self._conditions.wait_to_pass()
        await self._deliver(data)
        self._counts.replies += 1

    async def _deliver(self, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while data and (trickles := self._conditions.trickles):
            size = trickles[-1].bytes_at_a_time
            await loop.sock_sendall(self._client, data[:size])
            data = data[size:]
            # By a schedule: where each sleep takes longer, a reply takes no longer as a whole.
            due += trickles[-1].pause
            await asyncio.sleep(max(0.0, due - loop.time()))
            await self._conditions.wait_to_pass()
        if data:
            await loop.sock_sendall(self._client, data)


def reset_on_close(connection: socket.socket) -> None:
    """Let the peer see a reset when this socket is closed."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

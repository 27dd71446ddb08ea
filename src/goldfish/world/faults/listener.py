"""A loopback port whose connections lead to a server, in an event loop in a thread of its own."""

import asyncio
import os
import socket
import weakref
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from goldfish.errors import ServiceError
from goldfish.services.ports import LOOPBACK, find_free_port
from goldfish.threads import LoopThread
from goldfish.world.faults.conditions import Conditions
from goldfish.world.faults.connection import Connection, Counts, Upstream, reset_on_close

_PORTS_TO_TRY = 20
_PATIENCE = 5.0
_BACKLOG = 512


class Listener:
    """Accepts connections and forwards them under the present conditions; used from any thread."""

    def __init__(self, host: str, port: int) -> None:
        self.counts = Counts()
        self.conditions = Conditions()
        self.port = 0
        self._upstream = Upstream.of(host, port)
        self._connections: set[Connection] = set()
        self._silent: set[Connection] = set()
        self._socket: socket.socket | None = None
        self._owner = os.getpid()
        self._thread: LoopThread | None = LoopThread()
        _alive.add(self)
        try:
            self._call(self._choose_port())
        except BaseException:
            self.close()
            raise

    @property
    def open_connections(self) -> int:
        """The number of connections that still forward."""
        return len(self._connections)

    def change(self, step: Callable[[], object]) -> None:
        """Change the conditions."""
        self._call(self._change(step))

    def stop_listening(self) -> None:
        """Stop listening, and close all connections."""
        self._call(self._stop_listening())

    def listen_again(self) -> None:
        """Listen again on the same port."""
        self._call(self._listen_again())

    def close_connections(self, *, reset: bool) -> None:
        """Close the present connections."""
        self._call(self._close_connections(reset))

    def silence_connections(self) -> None:
        """Let the present connections forward nothing more, and stay open."""
        self._call(self._silence_connections())

    def lead_to(self, host: str, port: int) -> None:
        """Lead new connections to another server, and close the present ones."""
        self._call(self._lead_to(Upstream.of(host, port)))

    def close(self) -> None:
        """Close everything and end the thread; again, or in a forked child, is a no-op."""
        if self._thread is None or self._owner != os.getpid():
            return
        thread = self._thread
        self._call(self._close_all())
        self._thread = None
        _alive.discard(self)
        thread.stop()

    def forget_sockets(self) -> None:
        """In a forked child, close the copies, which would keep the parent's sockets open."""
        listening = [self._socket] if self._socket else []
        for each in (
            *listening,
            *(end for connection in self._connections | self._silent for end in connection.sockets),
        ):
            if each.fileno() >= 0:
                os.close(each.detach())

    def _call(self, step: Coroutine[Any, Any, None]) -> None:
        if self._thread is None:
            step.close()
            raise ServiceError("this proxy is closed: take one from a sandbox that is open")
        self._thread.call(step)

    async def _change(self, step: Callable[[], object]) -> None:
        self.conditions.change(step)

    async def _choose_port(self) -> None:
        for attempts_left in reversed(range(_PORTS_TO_TRY)):
            try:
                self._listen(find_free_port())
                return
            except OSError as error:  # another process was faster
                if not attempts_left:
                    raise ServiceError(f"no free port was found: {error}; try again") from error

    async def _stop_listening(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None
        await self._close_connections(reset=False)

    async def _listen_again(self) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + _PATIENCE
        while self._socket is None:
            try:
                self._listen(self.port)
            except OSError as error:
                if clock() > deadline:
                    raise ServiceError(
                        f"port {self.port} was taken while the proxy refused: run the test again"
                    ) from error
                await asyncio.sleep(0.01)

    def _listen(self, port: int) -> None:
        listening = socket.socket()
        try:
            listening.setblocking(False)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((LOOPBACK, port))
            listening.listen(_BACKLOG)
        except OSError:
            listening.close()
            raise
        self.port, self._socket = port, listening
        asyncio.get_running_loop().add_reader(listening, partial(self._accept, listening))

    def _accept(self, listening: socket.socket) -> bool:
        try:
            client, _ = listening.accept()
        except OSError:  # nobody is there, or not any more
            return False
        self.counts.connections += 1
        if self.conditions.resets:
            reset_on_close(client)
            client.close()
            return True
        connection = Connection(client, self._upstream, self.conditions, self.counts)
        self._connections.add(connection)
        connection.task.add_done_callback(lambda _: self._connections.discard(connection))
        return True

    def _list_connections(self) -> list[Connection]:
        """Return all connections, also those that are not accepted yet."""
        while self._socket is not None and self._accept(self._socket):
            pass
        return list(self._connections)

    async def _close_connections(self, reset: bool) -> None:
        for connection in self._list_connections():
            await connection.end(reset=reset)

    async def _silence_connections(self) -> None:
        for connection in self._list_connections():
            self._silent.add(connection)
            await connection.fall_silent()

    async def _lead_to(self, upstream: Upstream) -> None:
        self._upstream = upstream
        await self._close_connections(reset=False)

    async def _close_all(self) -> None:
        await self._stop_listening()
        for connection in self._silent:
            await connection.end(reset=False)


_alive: "weakref.WeakSet[Listener]" = weakref.WeakSet()


def _forget_all() -> None:
    for each in list(_alive):
        each.forget_sockets()
    _alive.clear()


os.register_at_fork(after_in_child=_forget_all)

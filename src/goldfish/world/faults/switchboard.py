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
from goldfish.world.faults.line import Line, Tally, Upstream, reset_on_close
from goldfish.world.faults.weather import Weather

_PORTS_TO_TRY = 20
_PATIENCE = 5.0
_BACKLOG = 512


class Switchboard:
    """Accepts connections and carries them as the weather has it; steered from any thread."""

    def __init__(self, host: str, port: int) -> None:
        self.tally = Tally()
        self.weather = Weather()
        self.port = 0
        self._upstream = Upstream.of(host, port)
        self._lines: set[Line] = set()
        self._silent: set[Line] = set()
        self._door: socket.socket | None = None
        self._owner = os.getpid()
        self._thread: LoopThread | None = LoopThread()
        _alive.add(self)
        try:
            self._call(self._choose_port())
        except BaseException:
            self.close()
            raise

    @property
    def open_lines(self) -> int:
        """How many connections there are that still carry."""
        return len(self._lines)

    def change(self, step: Callable[[], object]) -> None:
        """Change the weather."""
        self._call(self._change(step))

    def shut_door(self) -> None:
        """Stop listening, and end all connections."""
        self._call(self._shut_door())

    def open_door(self) -> None:
        """Listen again on the same port."""
        self._call(self._open_door())

    def end_lines(self, *, reset: bool) -> None:
        """End all connections that there are now."""
        self._call(self._end_lines(reset))

    def silence_lines(self) -> None:
        """Let all connections that there are now carry nothing more, and stay open."""
        self._call(self._silence_lines())

    def lead_to(self, host: str, port: int) -> None:
        """Lead new connections to another server, and end those that there are."""
        self._call(self._lead_to(Upstream.of(host, port)))

    def close(self) -> None:
        """End everything, the thread too; again, or in a forked child, is a no-op."""
        if self._thread is None or self._owner != os.getpid():
            return
        thread = self._thread
        self._call(self._farewell())
        self._thread = None
        _alive.discard(self)
        thread.stop()

    def forget_sockets(self) -> None:
        """In a forked child: let go of copies, which would keep the parent's sockets open."""
        door = [self._door] if self._door else []
        for each in (*door, *(end for line in self._lines | self._silent for end in line.sockets)):
            if each.fileno() >= 0:
                os.close(each.detach())

    def _call(self, step: Coroutine[Any, Any, None]) -> None:
        if self._thread is None:
            step.close()
            raise ServiceError("this proxy is closed: take one from a sandbox that is open")
        self._thread.call(step)

    async def _change(self, step: Callable[[], object]) -> None:
        self.weather.change(step)

    async def _choose_port(self) -> None:
        for attempts_left in reversed(range(_PORTS_TO_TRY)):
            try:
                self._listen(find_free_port())
                return
            except OSError as error:  # another process was faster
                if not attempts_left:
                    raise ServiceError(f"no free port was found: {error}; try again") from error

    async def _shut_door(self) -> None:
        if self._door is not None:
            asyncio.get_running_loop().remove_reader(self._door)
            self._door.close()
            self._door = None
        await self._end_lines(reset=False)

    async def _open_door(self) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + _PATIENCE
        while self._door is None:
            try:
                self._listen(self.port)
            except OSError as error:
                if clock() > deadline:
                    raise ServiceError(
                        f"port {self.port} was taken while the proxy refused: run the test again"
                    ) from error
                await asyncio.sleep(0.01)

    def _listen(self, port: int) -> None:
        door = socket.socket()
        try:
            door.setblocking(False)
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind((LOOPBACK, port))
            door.listen(_BACKLOG)
        except OSError:
            door.close()
            raise
        self.port, self._door = port, door
        asyncio.get_running_loop().add_reader(door, partial(self._accept, door))

    def _accept(self, door: socket.socket) -> bool:
        try:
            client, _ = door.accept()
        except OSError:  # nobody is there, or not any more
            return False
        self.tally.connections += 1
        if self.weather.resets:
            reset_on_close(client)
            client.close()
            return True
        line = Line(client, self._upstream, self.weather, self.tally)
        self._lines.add(line)
        line.task.add_done_callback(lambda _: self._lines.discard(line))
        return True

    def _existing(self) -> list[Line]:
        """All lines, with those whose clients are connected but were not heard yet."""
        while self._door is not None and self._accept(self._door):
            pass
        return list(self._lines)

    async def _end_lines(self, reset: bool) -> None:
        for line in self._existing():
            await line.end(reset=reset)

    async def _silence_lines(self) -> None:
        for line in self._existing():
            self._silent.add(line)
            await line.fall_silent()

    async def _lead_to(self, upstream: Upstream) -> None:
        self._upstream = upstream
        await self._end_lines(reset=False)

    async def _farewell(self) -> None:
        await self._shut_door()
        for line in self._silent:
            await line.end(reset=False)


_alive: "weakref.WeakSet[Switchboard]" = weakref.WeakSet()


def _forget_all() -> None:
    for each in list(_alive):
        each.forget_sockets()
    _alive.clear()


os.register_at_fork(after_in_child=_forget_all)

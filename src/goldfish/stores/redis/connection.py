"""A connection to Redis that is kept for one exchange after another, and replaced when needed."""

import asyncio
import math
from collections.abc import Awaitable, Sequence
from typing import Any

from goldfish.stores.redis.clock import ServerClock
from goldfish.stores.redis.health import Health
from goldfish.stores.redis.socket import RedisSocket, take_over

Command = tuple[Any, ...]


class OwnConnection:
    """One connection of a client's pool; with a clock, it keeps that right."""

    def __init__(self, client: Any, health: Health, clock: ServerClock | None = None) -> None:
        self._pool = client.connection_pool
        self._health = health
        self._clock = clock
        self._connection: Any = None
        self._socket: RedisSocket | None = None  # None: what is sent goes through the connection
        self._time = asyncio.get_running_loop().time

    def is_ready(self) -> bool:
        """Return True if the connection is open for sure, so that ``connect`` has nothing to do."""
        return self._socket is not None and self._socket.is_quiet()

    async def connect(self, due: float) -> None:
        """Connect, unless the connection is open."""
        try:
            if self._socket is None or not await self._socket.is_open():
                async with limit_until(due):
                    await self._connect()
        except BaseException as error:
            await self._give_up(error)
            raise

    async def exchange(self, commands: Sequence[Command], due: float) -> list[Any]:
        """Send commands in one go over the open connection; return the answers.

        Errors are answers too. Raise TimeoutError if there is no answer when they are due.
        """
        if not commands:
            return []
        began = self._time()
        try:
            if self._clock is not None and self._clock.is_old(began):
                answers = await self._exchange_and_learn(commands, due)
            else:
                answers = await self._send(commands, due)
            for each in answers:
                if isinstance(each, Exception) and is_read_only(each):
                    await self._hang_up()  # the primary may be elsewhere now
        except BaseException as error:
            await self._give_up(error)
            raise
        self._health.note_answer(commands, self._time() - began)
        return answers

    async def _give_up(self, error: BaseException) -> None:
        if isinstance(error, Exception):
            self._health.note_failure(error)
        await self._hang_up()

    async def _connect(self) -> None:
        if self._connection is None:
            self._connection = await self._pool.get_connection()
        elif self._socket is None and await self._is_idle():
            return
        else:
            closed = self._connection.is_connected
            await self._connection.disconnect()
            await self._connection.connect()
            if closed:  # by the server: what we hung up ourselves was an error, and is known
                self._health.note_reconnection()
        self._socket = take_over(self._connection)
        if self._clock is not None:
            (answer,) = await self._send([("TIME",)], math.inf)
            self._clock.learn(answer, self._time())

    async def _is_idle(self) -> bool:
        """Return True if there is nothing to read; an idle connection with something was closed."""
        from redis.exceptions import ConnectionError as Closed

        connection = self._connection
        look = getattr(connection, "can_read", None) or connection.can_read_destructive  # before 8
        try:
            return connection.is_connected and not await look()
        except Closed:
            return False

    async def _exchange_and_learn(self, commands: Sequence[Command], due: float) -> list[Any]:
        """Ask for the server's time on the way; these commands still use the old one."""
        assert self._clock is not None
        now, *answers = await self._send([("TIME",), *commands], due)
        self._clock.learn(now, self._time())
        return answers

    def _send(self, commands: Sequence[Command], due: float) -> Awaitable[list[Any]]:
        if self._socket is not None:
            return self._socket.exchange(commands, due)
        return self._send_through_connection(commands, due)

    async def _send_through_connection(self, commands: Sequence[Command], due: float) -> list[Any]:
        connection = self._connection
        packed = [piece for each in commands for piece in connection.pack_command(*each)]
        async with limit_until(due):
            await connection.send_packed_command(packed, check_health=False)
            return [await _read_answer(connection) for _ in commands]

    async def _hang_up(self) -> None:
        """Close: answers may be on their way that nobody waits for."""
        if self._socket is not None:
            self._socket.abort()
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)


async def _read_answer(connection: Any) -> Any:
    from redis.exceptions import ResponseError

    try:
        return await connection.read_response()
    except ResponseError as error:
        return error


def limit_until(due: float) -> asyncio.Timeout:
    """Return a time limit that ends when the call is due."""
    return asyncio.timeout_at(None if due == math.inf else due)


def is_read_only(error: BaseException | None) -> bool:
    """Return True if a server, or a script on it, refused to write because it is a replica."""
    return "READONLY" in str(error) or type(error).__name__ == "ReadOnlyError"

"""How commands travel to Redis: a few connections of our own, writes together.

redis-py spends far more time on a command than Redis does: on its pool, its retries, its metrics.
So an event loop keeps one connection for writes and one for reads. While a write is under way
others queue up, and travel together in the next round trip; a lone one is sent at once. A read
that finds the connection in use goes through redis-py's pool as usual. On a client of our own, each
of these waits at most so long, and then raises TimeoutError.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from goldfish.stores.redis_socket import RedisSocket, take_over

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.cluster import RedisCluster

    Client = Redis | RedisCluster

Command = tuple[Any, ...]
Exchange = Callable[[Sequence[Command]], Awaitable[list[Any]]]  # errors are answers too
Waiting = tuple[Command, "asyncio.Future[Any]"]

MOST_TOGETHER = 100
MOST_CONNECTIONS = 50  # of one event loop at a time: redis-py raises beyond 100 instead of waiting


class RedisLine:
    """The ways to one server from one event loop."""

    def __init__(self, client: "Client", *, owned: bool, timeout: float) -> None:
        self.client = client
        self._timeout = timeout
        self._limit = timeout if owned else None  # a client of the caller's has the caller's limits
        self._exchange: Exchange = OwnConnection(client, timeout) if owned else _Together(client)
        self._reader = OwnConnection(client, timeout) if owned else None
        self._alone = is_cluster(client)
        self._busy = False
        self._waiting: list[Waiting] = []
        self._sending: asyncio.Task[None] | None = None
        self._turns = asyncio.Semaphore(MOST_CONNECTIONS) if owned else contextlib.nullcontext()

    async def read(self, command: Command) -> Any:
        """The answer to a command that changes nothing."""
        if self._reader is None or self._reader.busy:
            return await self.ask(command)
        return _answer(*await self._reader([command]))

    async def write(self, command: Command) -> Any:
        """The answer to a command, which may travel together with others."""
        if self._alone:
            return await self.ask(command)
        if self._busy:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._waiting.append((command, answer))
            async with asyncio.timeout(self._limit):
                return await answer
        self._busy = True
        try:
            return _answer(*await self._exchange([command]))
        finally:
            self._send_waiting()

    async def ask(self, command: Command) -> Any:
        """The answer to a command that goes through the pool, when it is its turn."""
        async with asyncio.timeout(self._limit), self._turns:
            return await self.client.execute_command(*command)

    def _send_waiting(self) -> None:
        batch, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
        self._busy = bool(batch)
        if batch:
            self._sending = asyncio.create_task(self._send(batch))

    async def _send(self, batch: Sequence[Waiting]) -> None:
        answers: list[Any] = [asyncio.CancelledError()] * len(batch)
        try:
            async with asyncio.timeout(self._timeout):
                answers = await self._exchange([command for command, _ in batch])
        except Exception as error:
            answers = [error] * len(batch)
        finally:
            for (_, future), answer in zip(batch, answers, strict=True):
                _settle(future, answer)
            self._send_waiting()


def _settle(future: "asyncio.Future[Any]", answer: Any) -> None:
    if future.done():
        return
    if isinstance(answer, asyncio.CancelledError):
        future.cancel()
    elif isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)


def _answer(answer: Any) -> Any:
    if isinstance(answer, Exception):
        raise answer
    return answer


class OwnConnection:
    """One connection of a client's pool, kept for one exchange after another."""

    def __init__(self, client: Any, timeout: float) -> None:
        self.busy = False
        self._timeout = timeout
        self._pool = client.connection_pool
        self._connection: Any = None
        self._socket: RedisSocket | None = None  # None: what is sent goes through the connection

    async def __call__(self, commands: Sequence[Command]) -> list[Any]:
        """The answers to commands that are sent in one go, in time."""
        self.busy = True
        try:
            if self._socket is not None and await self._socket.is_open():
                return await self._socket.exchange(commands)
            async with asyncio.timeout(self._timeout):
                await self._connect()
                return await self._exchange(commands)
        except BaseException:
            await self._hang_up()
            raise
        finally:
            self.busy = False

    async def _connect(self) -> None:
        if self._connection is None:
            self._connection = await self._pool.get_connection()
        elif self._socket is None and await self._is_idle():
            return
        else:
            await self._connection.disconnect()
            await self._connection.connect()
        self._socket = take_over(self._connection, self._timeout)

    async def _is_idle(self) -> bool:
        """Whether all is quiet; an idle connection with something to read was closed."""
        from redis.exceptions import ConnectionError as Closed

        connection = self._connection
        look = getattr(connection, "can_read", None) or connection.can_read_destructive  # before 8
        try:
            return connection.is_connected and not await look()
        except Closed:
            return False

    async def _exchange(self, commands: Sequence[Command]) -> list[Any]:
        if self._socket is not None:
            return await self._socket.exchange(commands)
        connection = self._connection
        packed = [piece for each in commands for piece in connection.pack_command(*each)]
        await connection.send_packed_command(packed, check_health=False)
        return [await _next_answer(connection) for _ in commands]

    async def _hang_up(self) -> None:
        """Answers may be on their way that nobody waits for: the next exchange needs a new line."""
        if self._socket is not None:
            self._socket.abort()
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)


async def _next_answer(connection: Any) -> Any:
    from redis.exceptions import ResponseError

    try:
        return await connection.read_response()
    except ResponseError as error:
        return error


class _Together:
    """Exchanges through a client of the caller's."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def __call__(self, commands: Sequence[Command]) -> list[Any]:
        return await together(self._client, commands)


async def together(client: Any, commands: Sequence[Command]) -> list[Any]:
    """The answers to commands that are sent in one go over one connection; errors are answers."""
    if len(commands) == 1:
        return [await client.execute_command(*commands[0])]
    pipeline = client.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
    return list(await pipeline.execute(raise_on_error=False))


def is_cluster(client: object) -> bool:
    """Whether the client speaks to a cluster, which refuses scripts in pipelines."""
    return hasattr(client, "get_node_from_key")

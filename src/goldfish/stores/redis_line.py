"""How commands travel to Redis: a few connections of our own, writes together.

redis-py spends far more time on a command than Redis does: on its pool, its retries, its metrics.
So an event loop keeps one connection for writes and one for reads. While a write is under way
others queue up, and travel together in the next round trip; a lone one is sent at once. A read
that finds the connection in use goes through redis-py's pool as usual.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.cluster import RedisCluster

    Client = Redis | RedisCluster

Command = tuple[Any, ...]
Exchange = Callable[[Sequence[Command]], Awaitable[list[Any]]]  # errors are answers too
Waiting = tuple[Command, "asyncio.Future[Any]"]

MOST_TOGETHER = 100


class RedisLine:
    """The ways to one server from one event loop."""

    def __init__(self, client: "Client", *, owned: bool, timeout: float) -> None:
        self.client = client
        self._timeout = timeout
        self._exchange: Exchange = OwnConnection(client) if owned else _Together(client)
        self._reader = OwnConnection(client) if owned else None
        self._alone = is_cluster(client)
        self._busy = False
        self._waiting: list[Waiting] = []
        self._sending: asyncio.Task[None] | None = None

    async def read(self, command: Command) -> Any:
        """The answer to a command that changes nothing."""
        if self._reader is None or self._reader.busy:
            return await self.client.execute_command(*command)
        return _answer(*await self._reader([command]))

    async def write(self, command: Command) -> Any:
        """The answer to a command, which may travel together with others."""
        if self._alone:
            return await self.client.execute_command(*command)
        if self._busy:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._waiting.append((command, answer))
            return await answer
        self._busy = True
        try:
            return _answer(*await self._exchange([command]))
        finally:
            self._send_waiting()

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

    def __init__(self, client: Any) -> None:
        self.busy = False
        self._pool = client.connection_pool
        self._connection: Any = None

    async def __call__(self, commands: Sequence[Command]) -> list[Any]:
        """The answers to commands that are sent in one go."""
        self.busy = True
        try:
            connection = await self._ready()
            packed = [piece for each in commands for piece in connection.pack_command(*each)]
            await connection.send_packed_command(packed, check_health=False)
            return [await _next_answer(connection) for _ in commands]
        except BaseException:
            # Answers may be on their way that nobody waits for: the next one needs a new line.
            if self._connection is not None:
                await self._connection.disconnect(nowait=True)
            raise
        finally:
            self.busy = False

    async def _ready(self) -> Any:
        if self._connection is None:
            self._connection = await self._pool.get_connection()
        elif not self._connection.is_connected or await self._connection.can_read():
            # An idle connection with something to read was closed by the server.
            await self._connection.disconnect()
            await self._connection.connect()
        return self._connection


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

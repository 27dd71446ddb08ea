"""How commands travel to one Redis server: over a few connections of our own, writes together.

redis-py spends far more time on a command than Redis does: on its pool, its retries, its metrics.
So an event loop keeps one connection for writes and one for reads. While a write is under way
others queue up and travel together in the next round trip; a lone write is sent at once. A read
that finds its connection in use goes through redis-py's pool.

Each command has a time, ``due`` by the clock of the event loop, at which it raises TimeoutError. A
write that is given up while it waits is never sent; a write that was sent carries its deadline
(``clock``).
"""

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from goldfish.stores.redis.clock import ServerClock
from goldfish.stores.redis.connection import Command, OwnConnection, limit_until
from goldfish.stores.redis.health import Health

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.cluster import RedisCluster

    Client = Redis | RedisCluster

Exchange = Callable[[Sequence[Command], float], Awaitable[list[Any]]]  # errors are answers too
Waiting = tuple[Command, float, "asyncio.Future[Any]"]

MOST_TOGETHER = 100
MOST_CONNECTIONS = 50  # of one event loop at a time: redis-py raises beyond 100 instead of waiting


class Channel:
    """The connections of one event loop to one server."""

    def __init__(self, client: "Client", *, owned: bool, health: Health) -> None:
        self.client = client
        self.clock = ServerClock()
        self._health = health
        self._reader = OwnConnection(client, health) if owned else None
        self._writer = OwnConnection(client, health, self.clock) if owned else None
        self._exchange: Exchange = (
            self._writer.exchange if self._writer else self._exchange_through_pool
        )
        self._owned = owned
        self._is_cluster = is_cluster(client)
        self._reading = False  # over the reader's connection
        self._busy = False
        self._waiting: list[Waiting] = []
        self._batch: list[Waiting] = []  # under way
        self._begun = False  # whether its task has begun
        self._sending: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._turns = asyncio.Semaphore(MOST_CONNECTIONS) if owned else contextlib.nullcontext()

    @property
    def server(self) -> str:
        """The name of the server in errors."""
        return self._health.server

    async def read(self, command: Command, due: float) -> Any:
        """Send a command that changes nothing; return its answer."""
        reader = self._reader
        if reader is None or self._reading:
            return await self.ask(command, due)
        self._reading = True
        try:
            if not reader.is_ready():
                await reader.connect(due)
            (answer,) = await reader.exchange((command,), due)
        finally:
            self._reading = False
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def write(self, command: Command, due: float) -> Any:
        """Send a command, perhaps together with others; return its answer."""
        if self._is_cluster:
            return await self.ask(command, due)
        if self._busy:
            return await self._queue(command, due)
        self._busy = True
        try:
            writer = self._writer
            if writer is not None and not writer.is_ready():
                await writer.connect(due)
            (answer,) = await self._exchange((self.clock.stamp(command, due),), due)
        finally:
            if self._waiting:
                self._send_waiting()
            else:
                self._busy = False
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def write_confirmed(self, command: Command, confirm: Command, due: float) -> list[Any]:
        """Send a write and the command that waits for its confirmation; return both answers."""
        await self.learn_time(due)
        return await self._exchange_through_pool([self.clock.stamp(command, due), confirm], due)

    async def ask(self, command: Command, due: float) -> Any:
        """Send a command through redis-py's pool, when it is its turn; return its answer."""
        (answer,) = await self._exchange_through_pool([self.clock.stamp(command, due)], due)
        return answer

    async def aclose(self) -> None:
        """Close the client, and with it all connections."""
        if self._timer is not None:
            self._timer.cancel()
        await self.client.aclose()

    async def _exchange_through_pool(self, commands: Sequence[Command], due: float) -> list[Any]:
        time = asyncio.get_running_loop().time
        try:
            async with limit_until(due), self._turns:
                began = time()
                answers = await _send_together(self.client, commands)
        except Exception as error:
            if not _is_refusal(error):
                self._health.note_failure(error)
            raise
        self._health.note_answer(commands, time() - began)
        return answers

    async def learn_time(self, due: float) -> None:
        """Ask for the server's time, unless it is known."""
        time = asyncio.get_running_loop().time
        if not self._owned or not self.clock.is_old(time()):
            return
        try:
            answer = await self.ask(("TIME",), due)
        except Exception as error:
            if not _is_refusal(error):
                raise
            answer = error
        self.clock.learn(answer, time())

    async def _queue(self, command: Command, due: float) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((command, due, answer))
        self._set_timer(due)
        try:
            return await answer
        except (asyncio.CancelledError, TimeoutError):
            self._cancel_abandoned_batch()
            raise

    def _send_waiting(self) -> None:
        wanted = [each for each in self._waiting if not each[2].done()]
        self._health.note_dropped(len(self._waiting) - len(wanted))
        self._batch, self._waiting = wanted[:MOST_TOGETHER], wanted[MOST_TOGETHER:]
        self._busy = bool(self._batch)
        if self._batch:
            self._begun = False
            self._sending = asyncio.create_task(self._send(self._batch))

    async def _send(self, batch: list[Waiting]) -> None:
        self._begun = True
        sent: list[Waiting] = []
        failure: BaseException = asyncio.CancelledError()
        answers: list[Any] | None = None
        due = max(due for _, due, _ in batch)
        try:
            if self._writer is not None and not self._writer.is_ready():
                await self._writer.connect(due)
            sent = [each for each in batch if not each[2].done()]  # without those that gave up
            commands = [self.clock.stamp(command, due) for command, due, _ in sent]
            answers = await self._exchange(commands, due)
        except Exception as error:
            failure = error
        finally:
            self._batch = []
            self._health.note_dropped(len(batch) - len(sent))
            if answers is None:
                sent, answers = batch, [failure] * len(batch)
            for (_, _, future), answer in zip(sent, answers, strict=True):
                _settle(future, answer)
            self._send_waiting()

    def _cancel_abandoned_batch(self) -> None:
        """Cancel the batch under way, which hangs up, if nobody waits for it any more.

        Bytes that are not sent yet never are. A task that is cancelled before it has begun would
        never make room for the next one, and need not be: when it begins, nobody waits.
        """
        if self._begun and self._sending and all(answer.done() for _, _, answer in self._batch):
            self._sending.cancel()

    def _set_timer(self, due: float) -> None:
        """Make sure that a timer runs at this time; one for each write would cost more."""
        if due == math.inf or (self._timer is not None and self._timer.when() <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(due, self._fail_overdue)

    def _fail_overdue(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for _, due, answer in (*self._batch, *self._waiting):
            if due <= now:
                _settle(answer, TimeoutError())
            elif not answer.done():
                self._set_timer(due)


def _settle(future: "asyncio.Future[Any]", answer: Any) -> None:
    if future.done():
        return
    if isinstance(answer, asyncio.CancelledError):
        future.cancel()
    elif isinstance(answer, Exception):
        future.set_exception(answer)
        future.exception()  # seen, even if the caller is cancelled before it gets it
    else:
        future.set_result(answer)


def _is_refusal(error: Exception) -> bool:
    """Return True if the server answered, with an error."""
    from redis.exceptions import ResponseError

    return isinstance(error, ResponseError)


async def _send_together(client: Any, commands: Sequence[Command]) -> list[Any]:
    """Send commands in one go over one connection; return the answers, and errors as answers."""
    if len(commands) == 1:
        return [await client.execute_command(*commands[0])]
    pipeline = client.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
    return list(await pipeline.execute(raise_on_error=False))


def is_cluster(client: object) -> bool:
    """Return True for a client of a cluster, which refuses scripts in pipelines."""
    return hasattr(client, "get_node_from_key")

"""How commands travel to Redis: a few connections of our own, writes together.

redis-py spends far more time on a command than Redis does: on its pool, its retries, its metrics.
So an event loop keeps one connection for writes and one for reads. While a write is under way
others queue up, and travel together in the next round trip; a lone one is sent at once. A read
that finds the connection in use goes through redis-py's pool as usual. Each has to be over when it
is due (a time of the event loop), or raises TimeoutError. A write that was given up while it waited
is dropped; one that was sent carries its deadline (``redis_clock``).
"""

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from goldfish.stores.redis.clock import ServerClock
from goldfish.stores.redis.connection import Command, OwnConnection, until
from goldfish.stores.redis.health import Health

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.cluster import RedisCluster

    Client = Redis | RedisCluster

Exchange = Callable[[Sequence[Command], float], Awaitable[list[Any]]]  # errors are answers too
Waiting = tuple[Command, float, "asyncio.Future[Any]"]

MOST_TOGETHER = 100
MOST_CONNECTIONS = 50  # of one event loop at a time: redis-py raises beyond 100 instead of waiting


class RedisLine:
    """The ways to one server from one event loop."""

    def __init__(self, client: "Client", *, owned: bool, health: Health) -> None:
        self.client = client
        self.clock = ServerClock()
        self._health = health
        self._reader = OwnConnection(client, health) if owned else None
        self._writer = OwnConnection(client, health, self.clock) if owned else None
        self._exchange: Exchange = self._writer.exchange if self._writer else self._in_turn
        self._owned = owned
        self._alone = is_cluster(client)
        self._reading = False  # over the reader's connection
        self._busy = False
        self._waiting: list[Waiting] = []
        self._batch: list[Waiting] = []  # what is under way
        self._begun = False  # whether its task has begun
        self._sending: asyncio.Task[None] | None = None
        self._watching: asyncio.TimerHandle | None = None
        self._turns = asyncio.Semaphore(MOST_CONNECTIONS) if owned else contextlib.nullcontext()

    @property
    def server(self) -> str:
        """What the server is called in errors."""
        return self._health.server

    async def read(self, command: Command, due: float) -> Any:
        """The answer to a command that changes nothing."""
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
        """The answer to a command, which may travel together with others."""
        if self._alone:
            return await self.ask(command, due)
        if self._busy:
            return await self._wait(command, due)
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
        """The answers to a write and to what waits for its confirmation, past all others."""
        await self.learn_time(due)
        return await self._in_turn([self.clock.stamp(command, due), confirm], due)

    async def ask(self, command: Command, due: float) -> Any:
        """The answer to a command that goes through the pool, when it is its turn."""
        (answer,) = await self._in_turn([self.clock.stamp(command, due)], due)
        return answer

    async def aclose(self) -> None:
        """Close the client, and with it all connections."""
        if self._watching is not None:
            self._watching.cancel()
        await self.client.aclose()

    async def _in_turn(self, commands: Sequence[Command], due: float) -> list[Any]:
        time = asyncio.get_running_loop().time
        try:
            async with until(due), self._turns:
                began = time()
                answers = await together(self.client, commands)
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

    async def _wait(self, command: Command, due: float) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((command, due, answer))
        self._watch(due)
        try:
            return await answer
        except (asyncio.CancelledError, TimeoutError):
            self._end_given_up_batch()
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
            sent = [each for each in batch if not each[2].done()]  # who gave up is left out
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

    def _end_given_up_batch(self) -> None:
        """Hang up if nobody waits any more for what is under way: what is not sent yet never is.

        A task that is cancelled before it has begun would never make room for the next. It need
        not be: when it begins, it finds nobody who waits.
        """
        if self._begun and self._sending and all(answer.done() for _, _, answer in self._batch):
            self._sending.cancel()

    def _watch(self, due: float) -> None:
        """See to it that who waits is told in time; a timer for each would take longer."""
        if due == math.inf or (self._watching is not None and self._watching.when() <= due):
            return
        if self._watching is not None:
            self._watching.cancel()
        self._watching = asyncio.get_running_loop().call_at(due, self._tell_overdue)

    def _tell_overdue(self) -> None:
        self._watching = None
        now = asyncio.get_running_loop().time()
        for _, due, answer in (*self._batch, *self._waiting):
            if due <= now:
                _settle(answer, TimeoutError())
            elif not answer.done():
                self._watch(due)


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
    """Whether the server answered, with an error."""
    from redis.exceptions import ResponseError

    return isinstance(error, ResponseError)


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

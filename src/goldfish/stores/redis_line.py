"""A Redis client, and the writes that wait to share its next round trip.

redis-py spends far more time on a command than Redis does, and most of that once per round trip.
So while a write is under way, others that become ready at the same moment are sent together. A
lone write is sent at once.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.cluster import RedisCluster

    Client = Redis | RedisCluster

Command = tuple[Any, ...]
Waiting = tuple[Command, "asyncio.Future[Any]"]

MOST_TOGETHER = 100


class RedisLine:
    """One client of one event loop."""

    def __init__(self, client: "Client", *, timeout: float) -> None:
        self.client = client
        self._timeout = timeout
        self._underway = 0
        self._waiting: list[Waiting] = []
        self._sending: set[asyncio.Task[None]] = set()

    async def write(self, command: Command) -> Any:
        """The answer to a command, which may travel together with others."""
        if self._underway == 0 or is_cluster(self.client):
            self._underway += 1
            try:
                return await self.client.execute_command(*command)
            finally:
                self._underway -= 1
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send_waiting)
        answer: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((command, answer))
        return await answer

    def _send_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for start in range(0, len(waiting), MOST_TOGETHER):
            sending = asyncio.create_task(self._send(waiting[start : start + MOST_TOGETHER]))
            self._sending.add(sending)
            sending.add_done_callback(self._sending.discard)

    async def _send(self, batch: Sequence[Waiting]) -> None:
        self._underway += 1
        try:
            commands = [command for command, _ in batch]
            async with asyncio.timeout(self._timeout):
                answers = await together(self.client, commands)
        except Exception as error:
            answers = [error] * len(batch)
        finally:
            self._underway -= 1
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)


async def together(client: Any, commands: Sequence[Command]) -> list[Any]:
    """The answers to commands that are sent in one go over one connection; errors are answers."""
    pipeline = client.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
    return list(await pipeline.execute(raise_on_error=False))


def is_cluster(client: object) -> bool:
    """Whether the client speaks to a cluster, which refuses scripts in pipelines."""
    return hasattr(client, "get_node_from_key")

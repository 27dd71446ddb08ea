"""Other processes that open a store: forked from a server that has paid for the imports once."""

import asyncio
import multiprocessing
import random
import time
from collections.abc import Iterable
from multiprocessing.connection import Connection
from typing import Any

import goldfish

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(
    [
        *("goldfish", "redis.asyncio", "psycopg", "tests.stores.pods"),
        *(
            "goldfish.stores.facts.ranking",
            "goldfish.stores.retrieval.words",
            "goldfish.stores.open",
        ),
    ]
)


def batch(writer: str, number: int) -> list[goldfish.ChatMessage]:
    """A question and its answer that say who wrote them, and when."""
    return [
        goldfish.ChatMessage(role="user", content=f"{writer} {number} question"),
        goldfish.ChatMessage(role="assistant", content=f"{writer} {number} answer"),
    ]


async def _write(url: str, writer: str, count: int, start_at: float, acks: Connection) -> None:
    time.sleep(max(0.0, start_at - time.time()))
    async with goldfish.open_store(url) as store:
        for number in range(count):
            await store.add_messages("s", batch(writer, number))
            acks.send(number)


def _main(url: str, writer: str, count: int, start_at: float, acks: Connection) -> None:
    asyncio.run(_write(url, writer, count, start_at, acks))


class Pod:
    """A process that adds batches to one session and reports each one that was acknowledged."""

    def __init__(self, url: str, writer: str, count: int, start_at: float = 0.0) -> None:
        self.writer = writer
        self._acks, theirs = _context.Pipe(duplex=False)
        arguments = (url, writer, count, start_at, theirs)
        self.process: Any = _context.Process(target=_main, args=arguments, daemon=True)
        self.process.start()
        theirs.close()

    def wait_for_acks(self, count: int) -> list[int]:
        """The numbers of the first batches, once that many are acknowledged."""
        return [self._acks.recv() for _ in range(count)]

    def kill(self) -> None:
        self.process.kill()

    def acknowledged(self) -> list[int]:
        """The numbers of the other acknowledged batches, once the process has ended."""
        numbers = []
        try:
            while True:
                numbers.append(self._acks.recv())
        except EOFError:
            self.process.join()
            self._acks.close()
        return numbers


def run_writers(url: str, writers: Iterable[str], count: int) -> dict[str, list[int]]:
    """Let several pods write at the same moment; what each was told is stored."""
    start_at = time.time() + 0.3
    pods = [Pod(url, writer, count, start_at) for writer in writers]
    return {pod.writer: pod.acknowledged() for pod in pods}


def kill_soon(pod: Pod, random: random.Random) -> list[int]:
    """Kill the pod a moment after its first batch; what it was told is stored."""
    first = pod.wait_for_acks(1)
    time.sleep(random.random() * 0.03)
    pod.kill()
    return first + pod.acknowledged()

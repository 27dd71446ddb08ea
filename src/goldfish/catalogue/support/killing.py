"""Processes that are killed during a call, at the moments that hurt."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from goldfish.catalogue.support.files import await_change, measure_files
from goldfish.harness.errors import EndedError, StoreError
from goldfish.harness.memory import Client, Memory

BY_CHANCE = 3  # one kill in so many, where the storage is in files that can be watched
CHANGES = (1, 1, 2, 3)  # of the files' sizes, before a kill


class Aim:
    """Chooses when to kill a process.

    Most kills follow one of the first changes of a file: a store that writes in several steps is
    then between two of them. The others come by chance, so that about half of the processes die
    before they answer; so do all where no file can be watched.
    """

    def __init__(self, memory: Memory) -> None:
        self._random = memory.random
        self._directory = memory.sandbox.path
        self._within = 0.0
        self._kills = 0

    async def measure(self, client: Client, method: str, *arguments: Any) -> None:
        """Make the call undisturbed, and remember how long it takes."""
        start = time.perf_counter()
        await client.call(method, *arguments)
        self._within = 1.3 * (time.perf_counter() - start)

    def choose(self) -> Callable[[], None]:
        """Return a function that waits for the moment, to be called when the call is under way."""
        self._kills += 1
        files = measure_files(self._directory)
        if files and self._kills % BY_CHANCE:
            return partial(await_change, self._directory, files, self._random.choice(CHANGES))
        return partial(time.sleep, self._random.uniform(0, self._within))

    def learn(self, took: float | None) -> None:
        """Aim at the time that the answer took; if there was none, aim later."""
        self._within = 1.2 * self._within if took is None else 1.1 * took


async def kill_during(
    memory: Memory,
    aim: Aim,
    method: str,
    session: str,
    *arguments: Any,
    victim: Client | None = None,
) -> tuple[bool, Any]:
    """Kill another process during its call; return whether it answered, and what."""
    victim = victim or await memory.elsewhere()
    await victim.history(session)  # so that lazy set-up is done
    await_moment = aim.choose()
    start, ends = time.perf_counter(), list[float]()
    asking = asyncio.create_task(victim.call(method, session, *arguments))
    asking.add_done_callback(lambda _: ends.append(time.perf_counter()))
    await asyncio.to_thread(await_moment)
    memory.kill(victim)
    try:
        answer = await asking
    except StoreError as error:
        if not isinstance(error.error, EndedError):
            raise
        aim.learn(None)
        return False, None
    aim.learn(time.perf_counter() - start if not ends else ends[0] - start)
    return True, answer

"""Removes expired sessions and facts in the background, while a store is in use."""

import asyncio
import logging
import time

from goldfish.errors import MemoryStoreError
from goldfish.stores.postgres.calls import Run

LOG = logging.getLogger("goldfish.stores.postgres")

SWEEP_EVERY = 10.0  # seconds between two sweeps of a process; each goes on until nothing is left


class PostgresSweeper:
    """Sweeps in small steps on a connection of the pool, without delaying a caller."""

    def __init__(self, run: Run, schema: str) -> None:
        self._run = run
        self._sweep = f"SELECT {schema}.sweep()".encode()
        self._next = 0.0
        self._closed = False
        self._task: asyncio.Task[None] | None = None

    @property
    def is_due(self) -> bool:
        """Whether the last sweep was some time ago."""
        return time.monotonic() >= self._next

    def start_if_due(self) -> None:
        """Start a sweep if the last one was some time ago; called after every call."""
        if self._closed or not self.is_due:
            return
        self._next = time.monotonic() + SWEEP_EVERY
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._sweep_all())

    async def aclose(self) -> None:
        """Wait for the end of the step under way."""
        self._closed = True
        if self._task is not None and self._task.get_loop() is asyncio.get_running_loop():
            await asyncio.wait({self._task})

    async def _sweep_all(self) -> None:
        steps = 0
        try:
            while not self._closed and (await self._run(self._sweep, []))[0][0]:
                steps += 1
        except MemoryStoreError as error:
            LOG.info("what has expired could not be removed: %s", error)
        else:
            if steps:
                LOG.debug("what has expired was removed in %d steps", steps)

"""Removing what has expired from PostgreSQL, in the background, while a store is in use."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from goldfish.errors import MemoryStoreError

LOG = logging.getLogger("goldfish.stores.postgres")

SWEEP_EVERY = 10.0  # seconds between two sweeps of a process; each goes on until nothing is left

Rows = Callable[[bytes, list[Any]], Awaitable[list[tuple[Any, ...]]]]


class PostgresSweeper:
    """Sweeps in small steps on a connection of the pool, and never in the way of a caller."""

    def __init__(self, rows: Rows, schema: str) -> None:
        self._rows = rows
        self._sweep = f"SELECT {schema}.sweep()".encode()
        self._next = 0.0
        self._closed = False
        self._task: asyncio.Task[None] | None = None

    def begin_if_due(self) -> None:
        """Start a sweep if the last one is some time ago; to be called after every call."""
        now = time.monotonic()
        if now < self._next or self._closed:
            return
        self._next = now + SWEEP_EVERY
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._sweep_all())

    async def aclose(self) -> None:
        """Let the step under way come to its end."""
        self._closed = True
        if self._task is not None and self._task.get_loop() is asyncio.get_running_loop():
            await asyncio.wait({self._task})

    async def _sweep_all(self) -> None:
        steps = 0
        try:
            while not self._closed and (await self._rows(self._sweep, []))[0][0]:
                steps += 1
        except MemoryStoreError as error:
            LOG.info("what has expired could not be removed: %s", error)
        else:
            if steps:
                LOG.debug("what has expired was removed in %d steps", steps)

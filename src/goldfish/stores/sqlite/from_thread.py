"""The lanes for threads without an event loop: what they can do at once is done in the thread."""

import sqlite3
from collections.abc import Callable
from typing import TypeVar, cast

from goldfish.stores.sqlite.lanes import SQLiteLanes
from goldfish.stores.sqlite.quick import Read
from goldfish.threads import wait_for

T = TypeVar("T")


class LanesFromThread:
    """The lanes to a file, for coroutines that ``run_here`` runs: none of these ever suspends."""

    def __init__(self, lanes: SQLiteLanes) -> None:
        self._lanes = lanes

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work inside a transaction that is on the disk when this returns."""
        done, result = self._lanes.try_write(work)
        return cast(T, result) if done else wait_for(self._lanes.write(work))

    async def erase(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Write what removes data on purpose, and soon remove its traces from the log, too."""
        try:
            return await self.write(work)
        finally:
            self.erase_soon()

    def erase_soon(self) -> None:
        """Let the traces of what was removed on purpose be removed from the log."""
        self._lanes.erase_soon()

    async def read(self, work: Read[T]) -> T:
        """Do the work on a connection that only reads."""
        done, result = self._lanes.try_read(work)
        return cast(T, result) if done else wait_for(self._lanes.read(work))

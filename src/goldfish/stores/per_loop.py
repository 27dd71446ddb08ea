"""One resource per event loop, because async clients cannot leave the loop they were made in."""

import asyncio
import contextlib
import weakref
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from goldfish.errors import MemoryStoreClosedError

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Makes the resource of the running loop when it is first asked for.

    So a store may be opened once and used by several calls of ``asyncio.run``, or from several
    threads that have a loop each.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._closed = False
        self._made: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, T] = (
            weakref.WeakKeyDictionary()
        )

    def get(self) -> T:
        """The resource of the running loop."""
        if self._closed:
            raise MemoryStoreClosedError("this store is closed: open a new one")
        loop = asyncio.get_running_loop()
        resource = self._made.get(loop)
        if resource is None:
            resource = self._made[loop] = self._make()
        return resource

    async def aclose(self) -> None:
        """Close what belongs to this loop and, as far as they still run, to the other ones."""
        self._closed = True
        here = asyncio.get_running_loop()
        for loop, resource in list(self._made.items()):
            if loop is here:
                await self._close(resource)
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(_awaited(self._close, resource), loop)
                with contextlib.suppress(Exception):  # the other loop ended meanwhile
                    await asyncio.wrap_future(closing)
        self._made.clear()


async def _awaited(close: Callable[[T], Awaitable[None]], resource: T) -> None:
    await close(resource)

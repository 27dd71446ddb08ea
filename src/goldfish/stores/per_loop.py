"""One resource per event loop, because async clients cannot leave the loop they were made in."""

import asyncio
import contextlib
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

from goldfish.errors import MemoryStoreClosedError
from goldfish.stores.forks import call_after_fork

T = TypeVar("T")


class PerLoop(Generic[T]):
    """A resource per event loop, made when a loop first asks for it.

    So a store may be opened once and used by several calls of ``asyncio.run``, or from several
    threads that have a loop each. What belongs to a loop is closed when that loop ends. A forked
    child makes its own.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._closed = False
        self._made: weakref.WeakKeyDictionary[
            asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[None, None]]
        ] = weakref.WeakKeyDictionary()
        self._inherited: list[object] = []
        call_after_fork(self)

    def get(self) -> T:
        """Return the resource of the running loop."""
        if self._closed:
            raise MemoryStoreClosedError("this store is closed: open a new one")
        loop = asyncio.get_running_loop()
        made = self._made.get(loop)
        if made is None:
            resource = self._make()
            made = self._made[loop] = resource, _close_with_loop(self._close, resource)
        return made[0]

    async def aclose(self) -> None:
        """Close what belongs to this loop and, as far as they still run, to the other ones."""
        self._closed = True
        here = asyncio.get_running_loop()
        for loop, (_, closing) in list(self._made.items()):
            if loop is here:
                await closing.aclose()
            elif loop.is_running():
                elsewhere = asyncio.run_coroutine_threadsafe(_aclose(closing), loop)
                with contextlib.suppress(Exception):  # the other loop ended meanwhile
                    await asyncio.wrap_future(elsewhere)
        self._made.clear()

    def after_fork(self) -> None:
        """Leave what is the parent's alone: to close it would unhook it from the parent's loop."""
        self._inherited += self._made.items()  # what nobody holds would be closed
        self._made = weakref.WeakKeyDictionary()


def _close_with_loop(
    close: Callable[[T], Awaitable[None]], resource: T
) -> AsyncGenerator[None, None]:
    """Return a generator that closes the resource when the loop shuts down its generators."""

    async def closing() -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            await close(resource)

    generator = closing()
    with contextlib.suppress(StopIteration):
        generator.asend(None).send(None)  # up to the yield, by which this loop comes to know it
    return generator


async def _aclose(closing: AsyncGenerator[None, None]) -> None:
    await closing.aclose()

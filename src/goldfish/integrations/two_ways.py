"""Adapters for libraries that have each method twice, sync and async: written once, as async.

The async adapter has coroutines, which await the library's async methods. The sync adapter has the
same ones through ``in_sync``, and in it they call the sync methods, so that they never wait.
"""

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class TwoWays:
    """An adapter that calls the sync methods of a library, or awaits its async ones."""

    asynchronous: ClassVar[bool] = False

    async def _call(
        self,
        method: Callable[P, T],
        async_method: Callable[P, Awaitable[T]],
        *arguments: P.args,
        **options: P.kwargs,
    ) -> T:
        """Call the one that this adapter drives, and return its result."""
        if self.asynchronous:
            return await async_method(*arguments, **options)
        return method(*arguments, **options)


def in_sync(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Any, P], T]:
    """Return the sync twin of an adapter's coroutine method, for an adapter that never waits."""

    @wraps(method)
    def run(self: Any, /, *arguments: P.args, **options: P.kwargs) -> T:
        coroutine = method(self, *arguments, **options)
        try:
            coroutine.send(None)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            coroutine.close()
        raise AssertionError(f"{method.__qualname__} waited, in an adapter of sync methods")

    return run


async def settle(value: Awaitable[T] | T) -> T:
    """Return the value, or the result of awaiting it."""
    return await value if inspect.isawaitable(value) else value

"""Methods that a library has twice, sync and async: written once, as coroutines.

The async adapter of a library awaits its async methods. The sync adapter has the same coroutines
through ``in_sync``, and in it they call the sync methods, so that they never wait. A drop-in, whose
coroutines do wait for our store, has their sync twins through ``waiting``.
"""

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from functools import update_wrapper
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from goldfish.threads import wait_for

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

    def run(self: Any, /, *arguments: P.args, **options: P.kwargs) -> T:
        return run_here(method(self, *arguments, **options))

    return _disguise(run, method)


def run_here(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits, and return its result."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        coroutine.close()
    raise AssertionError(f"{coroutine} waited, where only sync methods are called")


def waiting(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Any, P], T]:
    """Return the sync twin of a coroutine method, which waits for the result."""

    def wait(self: Any, /, *arguments: P.args, **options: P.kwargs) -> T:
        call: Callable[P, Coroutine[Any, Any, T]] = getattr(self, method.__name__)
        return wait_for(call(*arguments, **options))

    return _disguise(wait, method)


def _disguise(twin: Callable[P, T], method: Callable[..., Any]) -> Callable[P, T]:
    """Give a sync twin the name, documentation and signature of its coroutine method."""
    update_wrapper(twin, method)
    del twin.__wrapped__  # type: ignore[attr-defined]  # whoever follows it expects a coroutine
    twin.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    return twin


async def settle(value: Awaitable[T] | T) -> T:
    """Return the value, or the result of awaiting it."""
    return await value if inspect.isawaitable(value) else value

"""A store that records what it is asked and what it answers, in a running application."""

import inspect
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from goldfish.replay.recording import RecordingFile

Store = TypeVar("Store")
ENTERED = {"__aenter__", "__aexit__", "__enter__", "__exit__"}
NOT_CALLS = {"aclose", "close", "lacking", "__aexit__", "__exit__"}


def record(store: Store, path: str | os.PathLike[str]) -> Store:
    """Return the same store; each call also adds a line with its answer to the file.

    The file is added to, and may be shared by threads and processes. It holds what users said: it
    is made readable for its owner alone. ``goldfish replay FILE --against TARGET`` asks another
    store the same. A call whose line cannot be written is served all the same.
    """
    file = RecordingFile(Path(path))
    names = [name for name in dir(type(store)) if not name.startswith("_") or name in ENTERED]
    callables = [name for name in names if callable(getattr(type(store), name, None))]
    methods = {name: _wrap(getattr(store, name), name, file) for name in callables}
    kind = type(f"Recorded{type(store).__name__}", (_Recorded,), methods)
    return cast(Store, kind(store))


class _Recorded:
    """The base of recorded stores: what is not a method is as the store has it."""

    def __init__(self, store: object) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _wrap(bound: Callable[..., Any], name: str, file: RecordingFile) -> Callable[..., Any]:
    """Return the method of the store as a method of the class that records."""
    if name in {"__enter__", "__aenter__"}:
        return _enter_async if name == "__aenter__" else _enter
    if name in NOT_CALLS:

        @wraps(bound)
        def pass_on(self: _Recorded, *arguments: Any, **options: Any) -> Any:
            return bound(*arguments, **options)

        return pass_on
    if inspect.iscoroutinefunction(bound):

        @wraps(bound)
        async def record_async(self: _Recorded, *arguments: Any, **options: Any) -> Any:
            with file.record(name, arguments, options) as call:
                call.result = result = await bound(*arguments, **options)
            return result

        return record_async

    @wraps(bound)
    def record_plainly(self: _Recorded, *arguments: Any, **options: Any) -> Any:
        with file.record(name, arguments, options) as call:
            call.result = result = bound(*arguments, **options)
        return result

    return record_plainly


def _enter(self: _Recorded) -> _Recorded:
    """Enter the store; ``with record(…) as store`` hands out the recorded one."""
    self._store.__enter__()  # type: ignore[attr-defined]  # it has one, or this were not used
    return self


async def _enter_async(self: _Recorded) -> _Recorded:
    await self._store.__aenter__()  # type: ignore[attr-defined]  # it has one, as above
    return self

"""A store that writes down what it is asked and what it answers, in a running application."""

import inspect
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from goldfish.errors import UsageError, mask
from goldfish.harness import wire

Store = TypeVar("Store")
SCHEMA = 1
ENTERED = {"__aenter__", "__aexit__", "__enter__", "__exit__"}
NOT_CALLS = {"aclose", "close", "lacking", *ENTERED}


def record(store: Store, path: str | os.PathLike[str]) -> Store:
    """The same store; every call is also a line of the file, with its arguments and its answer.

    The file is added to, and may be shared by threads and processes. It holds what users said: it
    is made readable for its owner alone. ``goldfish replay FILE --against TARGET`` asks another
    store the same. A call whose line cannot be written is served all the same.
    """
    book = _Book(Path(path))
    own = {name: _method(getattr(store, name), name, book) for name in _callables(store)}
    kind = type(f"Recorded{type(store).__name__}", (_Recorded,), own)
    return cast(Store, kind(store))


def _callables(store: object) -> list[str]:
    public = [name for name in dir(type(store)) if not name.startswith("_")]
    found = [*public, *(name for name in ENTERED if hasattr(type(store), name))]
    return [name for name in found if callable(getattr(type(store), name, None))]


class _Recorded:
    """What all recorded stores share: the rest is as the store has it."""

    def __init__(self, store: object) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _Book:
    """The file, which is there from the first call on."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._path = path
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            if not os.fstat(self._file).st_size:
                self._write({"recording": SCHEMA})
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written: {error.strerror}: record into another file"
            ) from None

    @contextmanager
    def line(self, method: str, arguments: Any, options: Any) -> Iterator[dict[str, Any]]:
        """What is known of a call; it is written when the block ends."""
        # Before the store sees them: it may change what it is handed.
        asked = wire.packed({"arguments": arguments, "options": options})
        told: dict[str, Any] = {"method": method, "result": None, "error": ""}
        start = time.time()
        try:
            yield told
        except BaseException as error:
            told["error"] = f"{type(error).__name__}: {mask(str(error))}"
            raise
        finally:
            self._add({**told, **wire.unpacked(asked), "start": start, "end": time.time()})

    def _add(self, told: dict[str, Any]) -> None:
        try:
            self._write({**told, "process": f"{os.getpid()}.{threading.get_ident()}"})
        except OSError:
            return  # the application matters more than its record, as record() says

    def _write(self, told: dict[str, Any]) -> None:
        with self._lock:  # one write each, at the end: so lines of several processes do not mix
            os.write(self._file, wire.packed(told))


def _method(bound: Callable[..., Any], name: str, book: _Book) -> Callable[..., Any]:
    """The method of the store, as one of the class that records."""
    if name in ENTERED:
        return _entering(bound, name)
    if name in NOT_CALLS:
        return _plain(bound)
    if inspect.iscoroutinefunction(bound):

        @wraps(bound)
        async def recorded(self: _Recorded, *arguments: Any, **options: Any) -> Any:
            with book.line(name, arguments, options) as told:
                told["result"] = result = await bound(*arguments, **options)
            return result

        return recorded

    @wraps(bound)
    def recorded_plainly(self: _Recorded, *arguments: Any, **options: Any) -> Any:
        with book.line(name, arguments, options) as told:
            told["result"] = result = bound(*arguments, **options)
        return result

    return recorded_plainly


def _plain(bound: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(bound)
    def passed_on(self: _Recorded, *arguments: Any, **options: Any) -> Any:
        return bound(*arguments, **options)

    return passed_on


def _entering(bound: Callable[..., Any], name: str) -> Callable[..., Any]:
    """``async with record(…) as store`` hands out the recorded store, not the bare one."""
    if name == "__enter__":

        def enter(self: _Recorded) -> _Recorded:
            bound()
            return self

        return enter
    if name == "__aenter__":

        async def enter_async(self: _Recorded) -> _Recorded:
            await bound()
            return self

        return enter_async
    return _plain(bound)

"""An event loop in a thread of its own, for code that has no loop."""

import asyncio
import concurrent.futures
import contextlib
import ctypes
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, ParamSpec, TypeVar

from goldfish.errors import MemoryStoreError

P = ParamSpec("P")
T = TypeVar("T")
GRACE = 1.0  # seconds that a stuck thread has before it is interrupted


def in_event_loop() -> bool:
    """Return whether an event loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@contextlib.contextmanager
def leave_event_loop() -> Iterator[None]:
    """Let code run in this thread as if no event loop ran in it.

    ``asyncio.run`` and what is built on it refuse to work inside of a loop. They may be called
    here, while the loop of the thread waits.
    """
    if not in_event_loop():
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    if task is not None:
        asyncio.tasks._leave_task(loop, task)
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)
        if task is not None:
            asyncio.tasks._enter_task(loop, task)


async def offload(work: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Do the work in another thread, if there is an event loop here that it would hold up."""
    if in_event_loop():
        return await asyncio.to_thread(work, *arguments, **options)
    return work(*arguments, **options)


class LoopThread:
    """An event loop that runs in a thread of its own."""

    def __init__(self) -> None:
        self.abandoned = False
        self.is_excused = False  # it was abandoned because the machine was late
        self._pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="goldfish-blocking", daemon=True)
        self._thread.start()
        self._ident = self._thread.ident or 0

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine in the loop and wait for it here."""
        if os.getpid() != self._pid:
            coroutine.close()
            raise MemoryStoreError(
                "this store was made before the process forked: open a new one in each process"
            )
        future = self.submit(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # the caller was interrupted; it has no effect on a finished call
            raise

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        """Run the coroutine in the loop; return a future of its result."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def abandon(self) -> None:
        """End the thread without waiting for it, even if it is stuck in Python code."""
        self.abandoned = True
        self._loop.set_exception_handler(lambda loop, context: None)  # it is to be interrupted
        with contextlib.suppress(RuntimeError):  # it has ended by itself
            self._loop.call_soon_threadsafe(self._loop.stop)
        grace = threading.Timer(GRACE, self._interrupt)
        grace.daemon = True
        grace.start()

    def _interrupt(self) -> None:
        """Raise SystemExit in the thread: an endless loop would take a core for ever."""
        if self._thread.is_alive():
            stop = ctypes.py_object(SystemExit)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._ident), stop)

    def leave(self) -> None:
        """Let the thread end by itself once its loop has nothing more to do."""
        self.abandoned = True
        self._loop.call_soon_threadsafe(self._loop.stop)

    def stop(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        # It is not set as the thread's loop: what leaves it would find it there, already running.
        try:
            self._loop.run_forever()
            for task in (tasks := asyncio.all_tasks(self._loop)):
                task.cancel()
            with contextlib.suppress(RuntimeError):  # it was told to stop once more
                if tasks:
                    self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        finally:
            self._loop.close()


_shared: LoopThread | None = None
_sharing = threading.Lock()


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine in a loop that all threads of the process share, and wait for it here.

    So objects that come and go by the thousand, as chat histories do, need no thread each.
    """
    return _share().call(coroutine)


def begin(coroutine: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
    """Do the same without waiting for it; return a future of its result."""
    return _share().submit(coroutine)


def _share() -> LoopThread:
    global _shared
    with _sharing:
        if _shared is None:
            _shared = LoopThread()
        return _shared


def _forget_shared() -> None:
    """Begin anew in a forked process, which has neither the thread nor the holder of the lock."""
    global _shared, _sharing
    _shared, _sharing = None, threading.Lock()


os.register_at_fork(after_in_child=_forget_shared)

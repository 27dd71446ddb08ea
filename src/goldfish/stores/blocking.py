"""A store for code without an event loop."""

import inspect
import threading
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from goldfish.errors import MemoryStoreClosedError
from goldfish.stores.base import BaseStore
from goldfish.stores.forks import call_after_fork
from goldfish.threads import LoopThread

P = ParamSpec("P")
T = TypeVar("T")


def blocking(store: BaseStore) -> "BlockingMemoryStore":
    """Return the same store for code without an event loop; safe in many threads, and in a loop."""
    return BlockingMemoryStore(store)


def _wait_for(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["BlockingMemoryStore", P], T]:
    """Return the method of a store as one that waits for its result."""
    name = method.__name__

    def wait(self: "BlockingMemoryStore", /, *args: P.args, **kwargs: P.kwargs) -> T:
        call: Callable[P, Coroutine[Any, Any, T]] = getattr(self.store, name)
        return self._call(call(*args, **kwargs))

    # Not by functools.wraps: who follows __wrapped__ would take it for a coroutine function.
    wait.__name__, wait.__qualname__ = name, f"BlockingMemoryStore.{name}"
    wait.__doc__ = method.__doc__
    wait.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    return wait


class BlockingMemoryStore:
    """The methods of a store, each of which waits for its result."""

    def __init__(self, store: BaseStore) -> None:
        self.store = store
        self._thread: LoopThread | None = LoopThread()
        self._closing = threading.Lock()
        self._inherited = False
        call_after_fork(self)

    def after_fork(self) -> None:
        """Let the next call in a child begin a thread: that of its parent is not there."""
        self._closing = threading.Lock()
        self._inherited = self._thread is not None

    add_messages = _wait_for(BaseStore.add_messages)
    get_history = _wait_for(BaseStore.get_history)
    trim = _wait_for(BaseStore.trim)
    delete_messages = _wait_for(BaseStore.delete_messages)
    clear = _wait_for(BaseStore.clear)
    clear_all = _wait_for(BaseStore.clear_all)
    list_sessions = _wait_for(BaseStore.list_sessions)
    set_ttl = _wait_for(BaseStore.set_ttl)
    get_ttl = _wait_for(BaseStore.get_ttl)
    save_snapshot = _wait_for(BaseStore.save_snapshot)
    rollback_to_snapshot = _wait_for(BaseStore.rollback_to_snapshot)
    list_snapshots = _wait_for(BaseStore.list_snapshots)
    delete_snapshot = _wait_for(BaseStore.delete_snapshot)
    fork = _wait_for(BaseStore.fork)
    search_history = _wait_for(BaseStore.search_history)
    set_state = _wait_for(BaseStore.set_state)
    get_state = _wait_for(BaseStore.get_state)
    remember = _wait_for(BaseStore.remember)
    recall = _wait_for(BaseStore.recall)
    list_facts = _wait_for(BaseStore.list_facts)
    get_fact = _wait_for(BaseStore.get_fact)
    revise = _wait_for(BaseStore.revise)
    fact_history = _wait_for(BaseStore.fact_history)
    forget = _wait_for(BaseStore.forget)
    forget_all = _wait_for(BaseStore.forget_all)
    reembed = _wait_for(BaseStore.reembed)
    ping = _wait_for(BaseStore.ping)
    examine = _wait_for(BaseStore.examine)

    @property
    def lacking(self) -> Mapping[str, str]:
        """The methods that cannot be used here, each with the reason in one sentence."""
        return self.store.lacking

    def close(self) -> None:
        """Close the store and end its thread; again is a no-op."""
        if self._inherited:
            self._begin_anew()
        with self._closing:
            if self._thread is not None:
                self._thread.call(self.store.aclose())
                self._thread.stop()
                self._thread = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _begin_anew(self) -> None:
        with self._closing:
            if self._inherited:
                self._thread, self._inherited = LoopThread(), False

    def _call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        if self._inherited:
            self._begin_anew()
        thread = self._thread
        if thread is None:
            coroutine.close()
            raise MemoryStoreClosedError("this BlockingMemoryStore is closed: open a new one")
        return thread.call(coroutine)

"""A store for code without an event loop."""

import threading
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from goldfish.errors import MemoryStoreClosedError
from goldfish.messages import ChatMessage, Fact, Found, Recollection, Snapshot
from goldfish.protocols import Count
from goldfish.stores.base import BaseStore
from goldfish.stores.forks import tell_of_forks
from goldfish.stores.observation import Observation
from goldfish.threads import LoopThread

T = TypeVar("T")


def blocking(store: BaseStore) -> "BlockingMemoryStore":
    """The same store for code without an event loop; safe from many threads, and inside a loop."""
    return BlockingMemoryStore(store)


class BlockingMemoryStore:
    """The methods of a store, each of which waits for its result."""

    def __init__(self, store: BaseStore) -> None:
        self.store = store
        self._thread: LoopThread | None = LoopThread()
        self._closing = threading.Lock()
        self._inherited = False
        tell_of_forks(self)

    def after_fork(self) -> None:
        """In a child, in which there is no such thread: have the next call begin another."""
        self._closing = threading.Lock()
        self._inherited = self._thread is not None

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Append the batch in order, all or nothing; an id the session has is left as it is."""
        self._call(self.store.add_messages(session_id, messages))

    def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        """The messages of the session, oldest first; with ``last``, only that many newest ones."""
        return self._call(self.store.get_history(session_id, last=last))

    def trim(
        self,
        session_id: str,
        *,
        keep_last: int | None = None,
        max_tokens: int | None = None,
        count: Count | None = None,
        keep_pairs: bool = False,
        keep_system: bool = False,
    ) -> int:
        """Remove the oldest messages beyond the limits; return how many were removed."""
        return self._call(
            self.store.trim(
                session_id,
                keep_last=keep_last,
                max_tokens=max_tokens,
                count=count,
                keep_pairs=keep_pairs,
                keep_system=keep_system,
            )
        )

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        """Remove exactly these messages; return how many there were."""
        return self._call(self.store.delete_messages(session_id, ids))

    def clear(self, session_id: str, *, snapshots: bool = False) -> None:
        """Remove what the session holds and its deadline; its snapshots only if asked."""
        self._call(self.store.clear(session_id, snapshots=snapshots))

    def clear_all(self) -> None:
        """Remove every session of this store, with its snapshots, and the state of every user."""
        self._call(self.store.clear_all())

    def list_sessions(self, prefix: str = "") -> list[str]:
        """The ids of all sessions that hold messages and begin with the prefix, sorted."""
        return self._call(self.store.list_sessions(prefix))

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        """Set the session's deadline that many seconds from now; None removes it."""
        self._call(self.store.set_ttl(session_id, seconds))

    def get_ttl(self, session_id: str) -> float | None:
        """The seconds left until the session expires, or None without a deadline."""
        return self._call(self.store.get_ttl(session_id))

    def save_snapshot(
        self, session_id: str, *, label: str | None = None, key: str | None = None
    ) -> str:
        """Save the messages and state of the session and the time it has left; return the id."""
        return self._call(self.store.save_snapshot(session_id, label=label, key=key))

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Make the session what it was when the snapshot was saved; every snapshot stays."""
        self._call(self.store.rollback_to_snapshot(session_id, snapshot_id))

    def list_snapshots(self, session_id: str) -> list[Snapshot]:
        """The session's snapshots, oldest first."""
        return self._call(self.store.list_snapshots(session_id))

    def delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Remove one snapshot; an unknown one is a no-op."""
        self._call(self.store.delete_snapshot(session_id, snapshot_id))

    def fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, *, key: str | None = None
    ) -> None:
        """Give what a snapshot holds, and its time left, to a session that is empty."""
        self._call(self.store.fork(session_id, snapshot_id, new_session_id, key=key))

    def search_history(
        self, session_ids: Sequence[str], query: str, *, limit: int = 10
    ) -> list[Found]:
        """The messages of these sessions that fit the query, best first."""
        return self._call(self.store.search_history(session_ids, query, limit=limit))

    def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        """Put each value under its name, replacing what was there; other names stay."""
        self._call(self.store.set_state(session_id, values, user_id=user_id))

    def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """All values of the session, or of the user, by name."""
        return self._call(self.store.get_state(session_id, user_id=user_id))

    def remember(
        self,
        user_id: str,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
        key: str | None = None,
    ) -> Fact:
        """Store the fact, or count it again if the user has it."""
        return self._call(self.store.remember(user_id, text, metadata=metadata, ttl=ttl, key=key))

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name was promised to users
    ) -> list[Recollection]:
        """The user's facts that pass the filter, those that fit the query best first."""
        return self._call(
            self.store.recall(user_id, query, limit=limit, offset=offset, filter=filter)
        )

    def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name was promised to users
    ) -> list[Fact]:
        """The user's facts that pass the filter, in the order first remembered."""
        return self._call(self.store.list_facts(user_id, limit=limit, offset=offset, filter=filter))

    def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        """One fact of the user, or None."""
        return self._call(self.store.get_fact(user_id, fact_id))

    def revise(self, user_id: str, fact_id: str, text: str, *, key: str | None = None) -> Fact:
        """Replace what the fact says; nothing of the old text is recalled or listed again."""
        return self._call(self.store.revise(user_id, fact_id, text, key=key))

    def fact_history(self, user_id: str, fact_id: str) -> list[Fact]:
        """What the fact said before it was revised, oldest first; empty for an unknown one."""
        return self._call(self.store.fact_history(user_id, fact_id))

    def forget(self, user_id: str, fact_id: str) -> None:
        """Remove one fact and its history; an unknown one is a no-op."""
        self._call(self.store.forget(user_id, fact_id))

    def forget_all(self, user_id: str) -> None:
        """Remove every fact of the user, with all history."""
        self._call(self.store.forget_all(user_id))

    def reembed(self) -> int:
        """Embed the facts of all users by the present model; return how many had another."""
        return self._call(self.store.reembed())

    def ping(self) -> None:
        """Make sure that the backend answers; raise if it does not."""
        self._call(self.store.ping())

    def examine(self, *, repair: bool = False) -> list[Observation]:
        """Look at the backend's settings and at what is stored; return one observation for each."""
        return self._call(self.store.examine(repair=repair))

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

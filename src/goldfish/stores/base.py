"""The base of all our stores: it validates arguments, encodes messages and refuses when closed.

A backend only ever sees ids and JSON texts, through the primitives at the end.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from goldfish.encoding import decode_messages, encode_batch
from goldfish.errors import MemoryStoreClosedError, MemoryStoreError, SnapshotNotFound
from goldfish.messages import ChatMessage, Found, Snapshot, new_id
from goldfish.protocols import Count
from goldfish.stores import arguments
from goldfish.stores.observation import Observation
from goldfish.stores.remembering import RememberingStore
from goldfish.stores.search.backend import Embedded
from goldfish.stores.stating import StatingStore
from goldfish.stores.trimming import Limits, messages_to_remove

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder

Row = tuple[str, str]  # a message's id and its JSON text
Bodies = Sequence[str] | Sequence[bytes]  # JSON texts of messages
Forked = Literal["done", "not found", "not empty"]
LONG_HISTORY = 2000


class BaseStore(RememberingStore, StatingStore):
    """A ``MemoryStore`` with every power; searching has to be switched on."""

    def __init__(
        self,
        *,
        ttl: float | None = None,
        embedder: "Embedder | Literal['default'] | None" = "default",
    ) -> None:
        super().__init__(embedder)
        self._ttl = arguments.require_ttl(ttl)
        self._closed = False
        self._searches = False

    @property
    def lacking(self) -> Mapping[str, str]:
        """The methods that cannot be used here, each with the reason in one sentence."""
        reason = f"{type(self).__name__} does not search: use SQLiteMemoryStore with search=True"
        return {**super().lacking, "search_history": reason}

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Append the batch in order, all or nothing; an id the session has is left as it is."""
        self._admit(session_id)
        batch = arguments.require_messages(messages)
        rows = encode_batch(batch)
        if rows:
            embedded = await self._embed(batch) if self._searches else None
            await self._append(session_id, rows, embedded)

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        """Return the messages of the session, oldest first; with ``last``, only the newest ones."""
        self._admit(session_id)
        if last is not None:
            last = arguments.require_count(last, "last")
        if last == 0:
            return []
        return await self._read_history(session_id, last)

    async def trim(
        self,
        session_id: str,
        *,
        keep_last: int | None = None,
        max_tokens: int | None = None,
        count: Count | None = None,
        keep_pairs: bool = False,
        keep_system: bool = False,
    ) -> int:
        """Remove the oldest messages beyond the limits; return how many were removed.

        ``keep_pairs`` never parts a tool result from its call, ``keep_system`` keeps a leading
        system message in addition to ``keep_last`` (and within ``max_tokens``). Messages that
        arrive while such a trim is at work stay.
        """
        self._admit(session_id)
        limits = Limits(keep_last, max_tokens, count, keep_pairs, keep_system)
        if limits.only_keep_last is not None:
            return await self._keep_last(session_id, limits.only_keep_last)
        history = await _decode(await self._read_to_trim(session_id))
        doomed = messages_to_remove(history, limits)
        if not doomed:
            return 0
        return await self._remove(session_id, [m.id for m in doomed], trimmed=True)

    async def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        """Remove exactly these messages; return how many were removed."""
        self._admit(session_id)
        doomed = arguments.require_ids(ids, "ids", "message")
        return await self._remove(session_id, doomed) if doomed else 0

    async def clear(self, session_id: str, *, snapshots: bool = False) -> None:
        """Remove the messages of the session, its state and its deadline; again is a no-op.

        Its snapshots stay, so that it can be rolled back, unless ``snapshots`` says otherwise.
        """
        self._admit(session_id)
        await self._clear(session_id, snapshots)

    async def clear_all(self) -> None:
        """Remove every session of this store, with its snapshots, and the state of every user."""
        self._admit()
        await self._clear_all()

    async def list_sessions(self, prefix: str = "") -> list[str]:
        """Return the ids of all sessions with messages that begin with the prefix, sorted."""
        self._admit()
        arguments.require_text(prefix, "prefix")
        return sorted(name for name in await self._sessions(prefix) if name.startswith(prefix))

    async def set_ttl(self, session_id: str, seconds: float | None) -> None:
        """Set the session's deadline that many seconds from now; None removes it.

        Later writes leave it alone, unless the store was opened with a ``ttl`` of its own. For a
        session that holds neither messages nor state this is a no-op.
        """
        self._admit(session_id)
        left = None if seconds is None else arguments.require_seconds(seconds, "seconds")
        if left == 0:
            await self._clear(session_id, False)
        else:
            await self._set_ttl(session_id, left)

    async def get_ttl(self, session_id: str) -> float | None:
        """Return the seconds until the session expires, or None without a deadline."""
        self._admit(session_id)
        return await self._get_ttl(session_id)

    async def save_snapshot(
        self, session_id: str, *, label: str | None = None, key: str | None = None
    ) -> str:
        """Save the messages and state of the session and the time it has left; return the id.

        A call repeated with the same ``key`` saves nothing and returns the same id, for as long as
        that snapshot is there: so a call whose answer was lost can be repeated.
        """
        self._admit(session_id)
        if label is not None:
            arguments.require_text(label, "label")
        snapshot_id = arguments.hash_key(key, "snapshot", session_id) or new_id()
        await self._save_snapshot(session_id, snapshot_id, label, datetime.now(UTC))
        return snapshot_id

    async def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Restore the session as it was when the snapshot was saved; every snapshot stays."""
        self._admit(session_id)
        arguments.require_text(snapshot_id, "snapshot_id")
        if not await self._rollback(session_id, snapshot_id):
            raise _not_found_error(session_id, snapshot_id)

    async def list_snapshots(self, session_id: str) -> list[Snapshot]:
        """Return the session's snapshots, oldest first."""
        self._admit(session_id)
        return await self._snapshots(session_id)

    async def delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Remove one snapshot; an unknown one is a no-op."""
        self._admit(session_id)
        await self._delete_snapshot(session_id, arguments.require_text(snapshot_id, "snapshot_id"))

    async def fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, *, key: str | None = None
    ) -> None:
        """Copy what a snapshot holds, and its time left, into a session that is empty.

        A call repeated with the same ``key`` changes nothing, for as long as the session that the
        first one began is there, whatever has been added to it since.
        """
        self._admit(session_id)
        arguments.require_text(snapshot_id, "snapshot_id")
        arguments.require_text(new_session_id, "new_session_id")
        token = arguments.hash_key(key, "fork", session_id, snapshot_id)
        forked = await self._fork(session_id, snapshot_id, new_session_id, token)
        if forked == "not found":
            raise _not_found_error(session_id, snapshot_id)
        if forked == "not empty":
            raise MemoryStoreError(
                f"session {new_session_id!r:.80} has messages or state: "
                "fork into another, or clear it first"
            )

    async def search_history(
        self, session_ids: Sequence[str], query: str, *, limit: int = 10
    ) -> list[Found]:
        """Return the messages of these sessions that fit the query, best first.

        A store that cannot search raises.
        """
        self._validate_search(session_ids, query, limit)
        raise MemoryStoreError(self.lacking["search_history"])

    async def ping(self) -> None:
        """Raise if the backend does not answer: for health checks.

        It reads only, and waits no longer than the ``timeout`` of the store.
        """
        self._admit()
        await self._ping()

    async def examine(self, *, repair: bool = False) -> list[Observation]:
        """Look at the backend's settings and at what is stored; return one observation for each.

        With ``repair``, what can be mended without losing anything is mended; the observation then
        says so. Nothing that is stored is part of an observation.
        """
        self._admit()
        return await self._examine(repair)

    async def aclose(self) -> None:
        """Release connections and files; again is a no-op."""
        if not self._closed:
            self._closed = True
            await self._close()

    async def __aenter__(self) -> Self:
        self._admit()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _admit(self, session_id: str = "") -> None:
        if self._closed:
            raise MemoryStoreClosedError(f"this {type(self).__name__} is closed: open a new one")
        arguments.require_text(session_id, "session_id")

    def _validate_search(
        self, session_ids: Sequence[str], query: str, limit: int
    ) -> tuple[list[str], int]:
        """Return the sessions to search, each once, and how many messages to return."""
        wanted = arguments.require_ids(session_ids, "session_ids", "session")
        self._admit()
        arguments.require_text(query, "query")
        return wanted, arguments.require_count(limit, "limit")

    async def _embed(self, messages: Sequence[ChatMessage]) -> Embedded | None:
        """Return the vectors of the messages, in a store that searches."""
        return None

    @abstractmethod
    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        """Add the rows whose ids the session lacks, in order, in one atomic, durable step.

        The vectors of those that are added are written in the same step.
        """

    async def _append_and_read(
        self, session_id: str, rows: list[Row], embedded: Embedded | None, last: int
    ) -> Bodies:
        """Append, and return the newest JSON texts; in one step, unless the rows are embedded."""
        await self._append(session_id, rows, embedded)
        return await self._read(session_id, last)

    def _try_append_and_read(
        self,
        session_id: str,
        rows: list[Row],
        last: int,
        take_more: Callable[[], list[Row]] = list,
    ) -> Bodies | None:
        """Do the same in the caller's thread; None if it was not done, as nobody can there.

        What ``take_more`` returns just before it is committed is written, and returned, too.
        """
        return None

    @abstractmethod
    async def _read(self, session_id: str, last: int | None) -> Bodies:
        """Return the JSON texts of the session, oldest first."""

    def _try_read(self, session_id: str, last: int | None) -> Bodies | None:
        """Do the same in the caller's thread; None if that cannot be done there."""
        return None

    async def _read_history(self, session_id: str, last: int | None) -> list[ChatMessage]:
        """Read and decode the messages of the session."""
        return await _decode(await self._read(session_id, last))

    async def _read_to_trim(self, session_id: str) -> Bodies:
        """Return all JSON texts as they are now, where ``_read`` may be behind."""
        return await self._read(session_id, None)

    @abstractmethod
    async def _keep_last(self, session_id: str, keep: int) -> int:
        """Remove all but the newest ``keep`` rows; return how many went."""

    @abstractmethod
    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        """Remove the rows with these ids; return how many went.

        What is ``trimmed`` may still be found by searches, if the store keeps that for them.
        """

    @abstractmethod
    async def _clear(self, session_id: str, snapshots: bool) -> None: ...

    @abstractmethod
    async def _clear_all(self) -> None: ...

    @abstractmethod
    async def _sessions(self, prefix: str) -> list[str]:
        """Return the ids of sessions with messages: at least all that begin with the prefix."""

    @abstractmethod
    async def _set_ttl(self, session_id: str, seconds: float | None) -> None: ...

    @abstractmethod
    async def _get_ttl(self, session_id: str) -> float | None: ...

    @abstractmethod
    async def _save_snapshot(
        self, session_id: str, snapshot_id: str, label: str | None, created_at: datetime
    ) -> None:
        """Save the state in one atomic, durable step that takes no longer for a long history.

        A snapshot id that the session has is left as it is.
        """

    @abstractmethod
    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        """Restore the state in one atomic, durable step; return whether there is a snapshot."""

    @abstractmethod
    async def _snapshots(self, session_id: str) -> list[Snapshot]:
        """Return the session's snapshots, oldest first."""

    @abstractmethod
    async def _delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Remove the snapshot, and what only this one shows."""

    @abstractmethod
    async def _fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, token: str | None
    ) -> Forked:
        """Fill the new session in one atomic, durable step, or say what is in the way.

        The token is kept with the new session until that is cleared or expires; a session that has
        the same token is left as it is and is "done".
        """

    @abstractmethod
    async def _ping(self) -> None:
        """Raise unless the backend answers."""

    @abstractmethod
    async def _examine(self, repair: bool) -> list[Observation]:
        """Look at settings and stored data, and mend what can be mended safely if asked to."""

    async def _close(self) -> None:
        """Release what the store holds; a store in memory holds nothing."""


def _not_found_error(session_id: str, snapshot_id: str) -> SnapshotNotFound:
    return SnapshotNotFound(
        f"session {session_id!r:.80} has no snapshot {snapshot_id!r:.80}: "
        "list_snapshots() names those that it has"
    )


async def _decode(bodies: Bodies) -> list[ChatMessage]:
    """Decode messages; a long history in a thread, so that the event loop is not blocked."""
    if len(bodies) < LONG_HISTORY:
        return decode_messages(bodies)
    return await asyncio.to_thread(decode_messages, bodies)

"""The protocol of a memory store, and one protocol for each optional power.

These are for type checkers and for people who write a store. At run time goldfish looks at the
methods one by one: ``isinstance`` cannot see whether a method is a coroutine.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from goldfish.messages import ChatMessage, Fact, Found, Recollection, Snapshot

Count = Callable[[ChatMessage], int]


class MemoryStore(Protocol):
    """Something that remembers conversations."""

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Append the batch in order, all or nothing; an id the session has is left as it is."""

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        """Return the messages of the session, oldest first; with ``last``, only the newest ones."""

    async def trim(self, session_id: str, *, keep_last: int) -> int:
        """Remove the oldest messages beyond ``keep_last``; return how many were removed."""

    async def clear(self, session_id: str) -> None:
        """Remove what the session holds, and its deadline; again is a no-op."""

    async def clear_all(self) -> None:
        """Remove every session of this store."""

    async def aclose(self) -> None:
        """Release connections and files; again is a no-op."""


class PolicyTrimming(Protocol):
    """Trimming that respects tool calls, the system message and a budget of tokens."""

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
        """Remove the oldest messages beyond the limits; return how many were removed."""


class Expiring(Protocol):
    """Sessions that expire."""

    async def set_ttl(self, session_id: str, seconds: float | None) -> None:
        """Set the session's deadline that many seconds from now; None removes it."""

    async def get_ttl(self, session_id: str) -> float | None:
        """Return the seconds left, or None without a deadline."""


class Editing(Protocol):
    """Removal of single messages."""

    async def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        """Remove exactly these messages; return how many were removed."""


class Listing(Protocol):
    """A list of all sessions."""

    async def list_sessions(self, prefix: str = "") -> list[str]:
        """Return the ids of all sessions with messages that begin with the prefix, sorted."""


class Snapshotting(Protocol):
    """Snapshots of a session, to which it can be rolled back."""

    async def save_snapshot(self, session_id: str, *, label: str | None = None) -> str:
        """Save what the session holds and the time it has left; return the snapshot's id."""

    async def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Restore the session as it was when the snapshot was saved; every snapshot stays."""

    async def list_snapshots(self, session_id: str) -> list[Snapshot]:
        """Return the session's snapshots, oldest first."""

    async def delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Remove one snapshot; an unknown one is a no-op."""

    async def fork(self, session_id: str, snapshot_id: str, new_session_id: str) -> None:
        """Copy what a snapshot holds, and its time left, into a session that is empty."""


class Remembering(Protocol):
    """Facts about users, found again by what they say."""

    async def remember(
        self,
        user_id: str,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
    ) -> Fact:
        """Store the fact, or count it again if the user has it."""

    async def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,
    ) -> list[Recollection]:
        """Return the user's facts that fit the query, best first."""

    async def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,
    ) -> list[Fact]:
        """Return the user's facts in the order first remembered."""

    async def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        """Return one fact of the user, or None."""

    async def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        """Replace what the fact says; the old words are not recalled again."""

    async def fact_history(self, user_id: str, fact_id: str) -> list[Fact]:
        """Return what a revised fact said before, oldest first; none of it is recalled."""

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Remove one fact; an unknown one is a no-op."""

    async def forget_all(self, user_id: str) -> None:
        """Remove every fact of the user."""


class Searching(Protocol):
    """Searches of what was said."""

    async def search_history(
        self, session_ids: Sequence[str], query: str, *, limit: int = 10
    ) -> list[Found]:
        """Return the messages of these sessions that fit the query, best first."""


class Stating(Protocol):
    """Named values of a session, or of a user across sessions.

    Names are any text, values any JSON: each comes back as it was given, of its own type, as
    metadata do. What a store cannot keep it refuses before anything is written.

    - One call is one step: its values are all there or none, and no reader sees some of them.
      Calls at once that set different names lose nothing; of those that set one name, one is last.
    - A value is replaced whole, a dict under a name too. None is a value like others; there is no
      way to remove a name but to clear. Setting nothing is a no-op.
    - The state of an unknown session, or user, is empty. A session that has state and no messages
      is not listed.
    - The state of a session belongs to the conversation: ``clear`` and expiry remove it, a write
      of it renews a store-wide ``ttl``, a snapshot holds it, rolling back restores it exactly, and
      a fork begins with it. Trimming and deleting messages leave it alone.
    - The state of a user is the same from every session and is never mixed with theirs: none of
      these touch it, but for ``clear_all``, which removes all state there is.
    """

    async def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        """Put each value under its name, replacing what was there; other names stay."""

    async def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Return all values by name."""

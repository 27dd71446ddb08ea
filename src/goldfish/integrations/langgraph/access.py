"""The two ways to a store: awaited in an event loop, or waited for in a thread without one."""

from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from goldfish.encoding import encode_batch
from goldfish.messages import ChatMessage
from goldfish.stores.base import BaseStore, Bodies
from goldfish.threads import wait_for

T = TypeVar("T")


class Access:
    """A store whose calls are awaited."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    async def read(self, session: str, last: int | None) -> Bodies:
        """Return the JSON texts of a session, oldest first, or the newest of them."""
        self._store._admit(session)
        return await self._wait(self._store._read(session, last))

    async def add_and_read(
        self, session: str, messages: Sequence[ChatMessage], last: int
    ) -> Bodies:
        """Append the messages, and then return the newest JSON texts."""
        self._store._admit(session)
        return await self._wait(self._add_and_read(session, messages, last))

    async def add_messages(self, session: str, messages: Sequence[ChatMessage]) -> None:
        """Append the messages."""
        await self._wait(self._store.add_messages(session, messages))

    async def get_history(self, session: str) -> list[ChatMessage]:
        """Return the messages of a session."""
        return await self._wait(self._store.get_history(session))

    async def delete_messages(self, session: str, ids: Iterable[str]) -> None:
        """Remove these messages."""
        await self._wait(self._store.delete_messages(session, ids))

    async def clear(self, session: str) -> None:
        """Remove the session."""
        await self._wait(self._store.clear(session))

    async def list_sessions(self, prefix: str) -> list[str]:
        """Return the ids of sessions that begin with the prefix."""
        return await self._wait(self._store.list_sessions(prefix))

    async def _wait(self, call: Coroutine[Any, Any, T]) -> T:
        return await call

    async def _add_and_read(
        self, session: str, messages: Sequence[ChatMessage], last: int
    ) -> Bodies:
        store, rows = self._store, encode_batch(messages)
        embedded = await store._embed(messages) if store._searches else None
        return await store._append_and_read(session, rows, embedded, last)


class AccessFromThread(Access):
    """A store for coroutines that ``run_here`` runs: none of these methods ever suspends.

    What the store can do in the caller's thread is done there, without a hop to an event loop.
    """

    async def read(self, session: str, last: int | None) -> Bodies:
        """Return the JSON texts of a session, oldest first, or the newest of them."""
        self._store._admit(session)
        found = self._store._try_read(session, last)
        return await super().read(session, last) if found is None else found

    async def add_and_read(
        self, session: str, messages: Sequence[ChatMessage], last: int
    ) -> Bodies:
        """Append the messages, and then return the newest JSON texts."""
        found = self._try_add(session, messages, last)
        return await super().add_and_read(session, messages, last) if found is None else found

    async def add_messages(self, session: str, messages: Sequence[ChatMessage]) -> None:
        """Append the messages."""
        if self._try_add(session, messages, 0) is None:
            await super().add_messages(session, messages)

    def _try_add(self, session: str, messages: Sequence[ChatMessage], last: int) -> Bodies | None:
        store = self._store
        store._admit(session)
        if store._searches or not messages:
            return None
        return store._try_append_and_read(session, encode_batch(messages), last)

    async def _wait(self, call: Coroutine[Any, Any, T]) -> T:
        return wait_for(call)

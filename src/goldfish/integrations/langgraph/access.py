"""The two ways to a store: awaited in an event loop, or waited for in a thread without one."""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from goldfish.integrations.langgraph.bodies import encode
from goldfish.messages import ChatMessage
from goldfish.stores.base import BaseStore, Bodies, Row
from goldfish.threads import wait_for

T = TypeVar("T")
TakeMore = Callable[[], list[ChatMessage]]


class Access:
    """A store whose calls are awaited."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    async def read(self, session: str, last: int | None) -> Bodies:
        """Return the JSON texts of a session, oldest first, or the newest of them."""
        self._store._admit(session)
        return await self._wait(self._store._read(session, last))

    async def add_and_read(
        self, session: str, messages: list[ChatMessage], before: int, take_more: TakeMore
    ) -> Bodies:
        """Append the messages, then return their JSON texts, and so many of those before them.

        Messages that came in the meantime are written with them, and added to the list.
        """
        self._store._admit(session)
        messages += take_more()
        return await self._wait(self._add_and_read(session, messages, len(messages) + before))

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
        store, rows = self._store, encode(messages)
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
        self, session: str, messages: list[ChatMessage], before: int, take_more: TakeMore
    ) -> Bodies:
        """Do the same; what comes before the write is committed is not too late for it."""

        def take_rows() -> list[Row]:
            more = take_more()
            messages.extend(more)  # so they are not lost if this attempt fails
            return encode(more)

        found = self._try_add(session, messages, len(messages) + before, take_rows)
        if found is not None:
            return found
        return await super().add_and_read(session, messages, before, take_more)

    async def add_messages(self, session: str, messages: Sequence[ChatMessage]) -> None:
        """Append the messages."""
        if self._try_add(session, messages, 0) is None:
            await super().add_messages(session, messages)

    def _try_add(
        self,
        session: str,
        messages: Sequence[ChatMessage],
        last: int,
        take_rows: Callable[[], list[Row]] = list,
    ) -> Bodies | None:
        store = self._store
        store._admit(session)
        if store._searches or not messages:
            return None
        return store._try_append_and_read(session, encode(messages), last, take_rows)

    async def _wait(self, call: Coroutine[Any, Any, T]) -> T:
        return wait_for(call)

"""The reference store behind async methods, for bugs that need two calls under way at once."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens.references.sqlite import Reference


class AsyncReference:
    """A correct store whose every call yields to the others before it works."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        self.store = Reference(sandbox, ttl=ttl)
        self.set_up()

    def set_up(self) -> None:
        """Prepare what this opening keeps in memory."""

    async def pause(self) -> None:
        """What a round trip to a server would be."""
        await asyncio.sleep(0)

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        await self.pause()
        self.store.add_messages(session_id, messages)

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        await self.pause()
        return self.store.get_history(session_id, last=last)

    async def trim(self, session_id: str, *, keep_last: int) -> int:
        await self.pause()
        return self.store.trim(session_id, keep_last=keep_last)

    async def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        await self.pause()
        return self.store.delete_messages(session_id, ids)

    async def clear(self, session_id: str) -> None:
        await self.pause()
        self.store.clear(session_id)

    async def clear_all(self) -> None:
        await self.pause()
        self.store.clear_all()

    async def list_sessions(self) -> list[str]:
        await self.pause()
        return self.store.list_sessions()

    async def set_ttl(self, session_id: str, seconds: float | None) -> None:
        await self.pause()
        self.store.set_ttl(session_id, seconds)

    async def get_ttl(self, session_id: str) -> float | None:
        await self.pause()
        return self.store.get_ttl(session_id)

    async def aclose(self) -> None:
        self.store.close()

"""The references behind async methods, for bugs that need two calls under way at once."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goldfish.messages import ChatMessage, Fact, Recollection
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.sqlite import Reference
from goldfish.specimens.references.state import StateReference


class AsyncReference:
    """A correct store whose every call yields to the others before it works."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        self.store = Reference(sandbox, ttl=ttl)
        self.set_up()

    def set_up(self) -> None:
        """Prepare what this opening keeps in memory."""

    async def pause(self) -> None:
        """Yield, as a round trip to a server would."""
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


class AsyncFacts:
    """A correct memory for facts whose every call yields to the others before it works."""

    def __init__(self, sandbox: Any) -> None:
        self.store = FactsReference(sandbox)

    async def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Fact:
        await asyncio.sleep(0)
        return self.store.remember(user_id, text, metadata=metadata)

    async def recall(self, user_id: str, query: str, *, limit: int = 5) -> list[Recollection]:
        await asyncio.sleep(0)
        return self.store.recall(user_id, query, limit=limit)

    async def list_facts(self, user_id: str) -> list[Fact]:
        await asyncio.sleep(0)
        return self.store.list_facts(user_id)

    async def forget(self, user_id: str, fact_id: str) -> None:
        await asyncio.sleep(0)
        self.store.forget(user_id, fact_id)

    async def aclose(self) -> None:
        self.store.close()


class AsyncState:
    """A correct store of named values whose every call yields to the others before it works."""

    def __init__(self, sandbox: Any) -> None:
        self.store = StateReference(sandbox)

    async def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        await asyncio.sleep(0)
        self.store.set_state(session_id, values, user_id=user_id)

    async def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        await asyncio.sleep(0)
        return self.store.get_state(session_id, user_id=user_id)

    async def aclose(self) -> None:
        self.store.close()

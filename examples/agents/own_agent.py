"""An agent of one's own: over a store of goldfish, and over a dict that forgets."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import goldfish
from goldfish import ChatMessage, InMemoryStore, MemoryStore, SQLiteMemoryStore
from goldfish.testing import LangChainModel


class Agent:
    """A loop around a model: read the history, ask, and store what was said with the reply."""

    def __init__(self, store: MemoryStore) -> None:
        self.store, self.model = store, LangChainModel()
        self.clear = store.clear

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        shown = [*await self.store.get_history(session_id), *messages]
        reply = await self.model.ainvoke([("user", str(each.content)) for each in shown])
        answer = ChatMessage(role="assistant", content=str(reply.content))
        await self.store.add_messages(session_id, [*messages, answer])

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        return await self.store.get_history(session_id)


@goldfish.target(answers=True)
async def remembering(sandbox: Any) -> AsyncIterator[Agent]:
    async with SQLiteMemoryStore(sandbox.path / "agent.db") as store:
        yield Agent(store)


@goldfish.target(answers=True)
async def forgetting(sandbox: Any) -> AsyncIterator[Agent]:
    yield Agent(InMemoryStore())

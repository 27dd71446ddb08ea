"""A user's project: targets, a dependency of FastAPI and fixtures, typed without Any.

It is checked, and never run.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated

import pytest
from fastapi import Depends, FastAPI

import goldfish
from goldfish import BaseStore, ChatMessage, Sandbox


class Own:
    """A store of the user's."""

    def __init__(self, path: str) -> None:
        self.path = path

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Store messages."""

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return them."""
        return []


@goldfish.target
def plain(sandbox: Sandbox) -> Own:
    """A factory that returns."""
    return Own(str(sandbox.path))


@goldfish.target(services=["redis"], claims="one process")
async def generator(sandbox: Sandbox) -> AsyncIterator[BaseStore]:
    """A factory that yields."""
    async with goldfish.open_store(sandbox.redis_url) as store:
        yield store


async def open_memory() -> AsyncIterator[BaseStore]:
    """A dependency."""
    async with goldfish.open_store("sqlite:///memory.db") as store:
        yield store


Memory = Annotated[BaseStore, Depends(open_memory)]
app = FastAPI()


@app.get("/history/{session_id}")
async def history(session_id: str, memory: Memory) -> list[str]:
    """A route that uses every power."""
    messages = await memory.get_history(session_id, last=20)
    await memory.remember("user", "likes tea")
    recalled = await memory.recall("user", "tea", limit=3)
    snapshot = await memory.save_snapshot(session_id)
    await memory.rollback_to_snapshot(session_id, snapshot)
    await memory.set_ttl(session_id, 60.0)
    state = await memory.get_state(session_id)
    texts = [str(each.content) for each in messages]
    return [*texts, *(each.fact.text for each in recalled), *state]


@pytest.fixture
def own(goldfish_sandbox: Sandbox) -> Own:
    """A fixture."""
    return Own(str(goldfish_sandbox.path))


async def down_is_not_empty(
    goldfish_sandbox: Sandbox, redis_store: goldfish.RedisMemoryStore
) -> None:
    """A test with faults."""
    faults = goldfish_sandbox.faults
    with faults.network("redis").refuse(), pytest.raises(goldfish.MemoryStoreBackendError):
        await redis_store.get_history("user-42")


checked = goldfish.suite(plain, suite="smoke", edition="2026.11", profile=["shared"])

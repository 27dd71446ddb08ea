"""The bot's memory as it went to production. Its tests were green: they mocked Redis."""

import json
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

import redis.asyncio

import goldfish
from goldfish import ChatMessage

log = logging.getLogger("bot.memory")


class BotMemory:
    """A list of JSON objects per session."""

    def __init__(self, url: str, *, ttl: float | None = None) -> None:
        self.redis = redis.asyncio.Redis.from_url(url)
        self.ttl = ttl

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        key = f"history:{session_id}"
        try:
            new = not await self.redis.exists(key)
            for message in messages:
                # Fault 1: "all we need", until the model asks which tool it had called.
                saved = message.model_dump(include={"role", "content", "metadata"})
                await self.redis.rpush(key, json.dumps(saved))
            # Fault 2: the hour begins with the first message and not with the last, so a
            # conversation ends in the middle of a sentence.
            if self.ttl and new:
                await self.redis.pexpire(key, int(self.ttl * 1000))
        except Exception as error:
            # Fault 3: the caller is not told, so to everybody this message was saved.
            log.warning("could not save the history of %r: %s", session_id, error)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        try:
            rows = await self.redis.lrange(f"history:{session_id}", 0, -1)
            return [ChatMessage(**json.loads(row)) for row in rows]
        except Exception as error:
            # Fault 3 again: a Redis that is down looks like a user who never said anything.
            log.warning("could not read the history of %r: %s", session_id, error)
            return []

    async def clear(self, session_id: str) -> None:
        await self.redis.delete(f"history:{session_id}")

    async def close(self) -> None:
        await self.redis.aclose()


@goldfish.target(services=["redis"], carries=ChatMessage.model_fields)  # whole messages
async def memory(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[BotMemory]:
    """How goldfish opens it, as often as it likes, on a real Redis of its own."""
    store = BotMemory(sandbox.redis_url, ttl=ttl)
    yield store
    await store.close()

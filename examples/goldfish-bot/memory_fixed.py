"""The bot's memory after goldfish: every field, every error, and an hour from the last word."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import redis.asyncio
from redis.exceptions import RedisError

import goldfish
from goldfish import ChatMessage, MemoryStoreBackendError, UnstorableError

# One step, so that a batch is there as a whole or not at all, and a retry adds nothing twice.
ADD = """
local messages, ids = KEYS[1], KEYS[2]
for i = 2, #ARGV, 2 do
    if redis.call('SADD', ids, ARGV[i]) == 1 then redis.call('RPUSH', messages, ARGV[i + 1]) end
end
if ARGV[1] ~= '' then
    redis.call('PEXPIRE', messages, ARGV[1])
    redis.call('PEXPIRE', ids, ARGV[1])
end
"""


class BotMemory:
    """A list of messages per session, and beside it the set of their ids."""

    def __init__(self, url: str, *, ttl: float | None = None) -> None:
        self.redis = redis.asyncio.Redis.from_url(url)
        self.ttl = ttl

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = [text for message in messages for text in (message.id, _encoded(message))]
        if not rows:
            return
        expiry = "" if self.ttl is None else int(self.ttl * 1000)
        try:
            await self.redis.eval(ADD, 2, *self._keys(session_id), expiry, *rows)
        except RedisError as error:
            raise MemoryStoreBackendError(f"nothing was saved: {error}") from error

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        try:
            rows = await self.redis.lrange(self._keys(session_id)[0], 0, -1)
        except RedisError as error:
            raise MemoryStoreBackendError(f"the history cannot be read: {error}") from error
        return [ChatMessage.model_validate_json(row) for row in rows]

    async def clear(self, session_id: str) -> None:
        await self.redis.delete(*self._keys(session_id))

    async def close(self) -> None:
        await self.redis.aclose()

    def _keys(self, session_id: str) -> tuple[str, str]:
        return f"history:{session_id}", f"ids:{session_id}"


def _encoded(message: ChatMessage) -> str:
    """All of a message, or an error before anything is sent: what JSON would change is refused."""
    text = message.model_dump_json()
    kept = ChatMessage.model_validate_json(text)
    if (kept.content, kept.tool_calls, kept.metadata) != (
        message.content,
        message.tool_calls,
        message.metadata,
    ):
        raise UnstorableError(f"message {message.id} holds what JSON cannot: make it plain first")
    return text


@goldfish.target(services=["redis"], carries=ChatMessage.model_fields)  # whole messages
async def memory(sandbox: Any, *, ttl: float | None = None) -> AsyncIterator[BotMemory]:
    """How goldfish opens it, as often as it likes, on a real Redis of its own."""
    store = BotMemory(sandbox.redis_url, ttl=ttl)
    yield store
    await store.close()

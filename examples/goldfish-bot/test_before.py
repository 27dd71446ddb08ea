"""The tests that the memory went to production with: all green, on a Redis that is a mock."""

import asyncio
import json
from unittest.mock import AsyncMock, patch

from memory_broken import BotMemory

from goldfish import ChatMessage

HELLO = ChatMessage(role="user", content="Where is my order?")


def mocked() -> BotMemory:
    """A memory whose Redis answers what the test tells it to."""
    with patch("redis.asyncio.Redis.from_url", return_value=AsyncMock()):
        return BotMemory("redis://mock")


def test_a_message_is_saved() -> None:
    """Redis was called. What it then has, and for how long, a mock does not know."""
    memory = mocked()
    asyncio.run(memory.add_messages("ann", [HELLO]))
    memory.redis.rpush.assert_awaited_once()


def test_the_history_is_read() -> None:
    """The mock returns what the test put into its mouth."""
    memory = mocked()
    memory.redis.lrange.return_value = [json.dumps({"role": "user", "content": HELLO.content})]
    (found,) = asyncio.run(memory.get_history("ann"))
    assert found.content == HELLO.content

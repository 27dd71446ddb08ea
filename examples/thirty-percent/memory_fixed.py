"""The same service with its memory in Redis, which all workers share."""

import json
import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import redis
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict

import goldfish


class RedisHistory(BaseChatMessageHistory):
    """One Redis list per session, and one command per batch: it is there as a whole or not."""

    def __init__(self, session_id: str) -> None:
        self.key = b"history:" + session_id.encode("utf-8", "surrogatepass")

    @property
    def messages(self) -> list[BaseMessage]:
        return messages_from_dict([json.loads(row) for row in shared().lrange(self.key, 0, -1)])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        if rows := [json.dumps(message_to_dict(message)) for message in messages]:
            shared().rpush(self.key, *rows)

    def clear(self) -> None:
        shared().delete(self.key)


@cache
def shared() -> redis.Redis:
    """The Redis of the whole service."""
    return redis.Redis.from_url(os.environ["CHAT_REDIS_URL"])


def history_of(session_id: str) -> BaseChatMessageHistory:
    """What was said in a session, to whichever worker."""
    return RedisHistory(session_id)


@goldfish.target(carries={"role", "content"}, retries=False, services=["redis"])
def memory(sandbox: Any) -> Iterator[Any]:
    """How goldfish uses it: over HTTP, through three workers, on a real Redis of its own."""
    from fleet import fleet  # the workers of the service have no use for its client

    url = sandbox.redis_url
    with fleet(sandbox.path, CHAT_MEMORY="memory_fixed", CHAT_REDIS_URL=url) as service:
        yield service

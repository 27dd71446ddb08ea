"""The chat service: what was said in a session is kept in a history of LangChain."""

import json
import os
from collections.abc import Sequence
from typing import Any

import redis
from fastapi import FastAPI, Response
from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.messages import (
    BaseMessage,
    ChatMessage,
    message_to_dict,
    messages_from_dict,
)
from pydantic import BaseModel

app = FastAPI()


class RedisHistory(BaseChatMessageHistory):
    """One Redis list per session, and one command per batch: it is there as a whole or not."""

    def __init__(self, client: redis.Redis, session_id: str) -> None:
        self.client = client
        self.key = b"history:" + session_id.encode("utf-8", "surrogatepass")

    @property
    def messages(self) -> list[BaseMessage]:
        return messages_from_dict([json.loads(row) for row in self.client.lrange(self.key, 0, -1)])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        if rows := [json.dumps(message_to_dict(message)) for message in messages]:
            self.client.rpush(self.key, *rows)

    def clear(self) -> None:
        self.client.delete(self.key)


if url := os.environ.get("CHAT_REDIS_URL"):
    shared = redis.Redis.from_url(url)

    def history_of(session_id: str) -> BaseChatMessageHistory:
        return RedisHistory(shared, session_id)

else:
    # The fault: every worker process has a dict of its own. With one worker all tests are green.
    histories: dict[str, BaseChatMessageHistory] = {}

    def history_of(session_id: str) -> BaseChatMessageHistory:
        return histories.setdefault(session_id, InMemoryChatMessageHistory())


class Said(BaseModel):
    role: str
    content: str | list[dict[str, Any]]


class Session(BaseModel):
    session_id: str


class Turn(Session):
    messages: list[Said]


@app.post("/say")
def say(turn: Turn) -> Response:
    batch = [ChatMessage(role=each.role, content=each.content) for each in turn.messages]
    history_of(turn.session_id).add_messages(batch)
    return Response(status_code=204)


@app.post("/history")
def history(session: Session) -> Response:
    found = history_of(session.session_id).messages
    said = [{"role": each.role, "content": each.content} for each in found]
    return Response(json.dumps(said), media_type="application/json")


@app.post("/forget")
def forget(session: Session) -> Response:
    history_of(session.session_id).clear()
    return Response(status_code=204)

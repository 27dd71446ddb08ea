"""The chat service: what was said in a session is kept in a history of LangChain."""

import json
import os
from importlib import import_module
from typing import Any

from fastapi import FastAPI, Response
from langchain_core.messages import ChatMessage
from pydantic import BaseModel

app = FastAPI()
# Which memory: a setting, so that the service is the same before and after the fix.
history_of = import_module(os.environ.get("CHAT_MEMORY", "memory_broken")).history_of


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

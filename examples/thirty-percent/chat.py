"""The whole service: a message of a user in, the model's answer out, with the history between."""

import os
from importlib import import_module

from fastapi import FastAPI
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

app = FastAPI()
history_of = import_module(os.environ.get("CHAT_MEMORY", "memory_broken")).history_of
model = ChatOpenAI(model="gpt-4o-mini")
SYSTEM = SystemMessage("You are the assistant of a web shop.")


class Said(BaseModel):
    session_id: str
    text: str


@app.post("/chat")
def chat(said: Said) -> dict[str, str]:
    history, question = history_of(said.session_id), HumanMessage(said.text)
    answer = model.invoke([SYSTEM, *history.messages, question])
    history.add_messages([question, answer])
    return {"reply": str(answer.content)}


@app.delete("/chat/{session_id}")
def forget(session_id: str) -> None:
    history_of(session_id).clear()


@app.get("/healthz")
def is_alive() -> dict[str, bool]:
    return {"ok": True}

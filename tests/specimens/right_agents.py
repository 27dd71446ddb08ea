"""Agents that are right, in shapes that people give them: no check may blame one."""

import asyncio
import json
import os
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from goldfish.specimens.agents.reference import AgentReference, Message
from goldfish.specimens.agents.reference_tools import ToolReference


class OpenAIStream(AgentReference):
    """An async bot on openai's client: pieces reach the caller, a lock keeps its turns in order."""

    declares: Mapping[str, Any] = {}

    def __init__(self, sandbox: Any) -> None:
        from openai import AsyncOpenAI

        super().__init__(sandbox)
        self.client = AsyncOpenAI()  # the environment leads to the mirror
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def say(self, session_id: str, text: str) -> AsyncIterator[str]:  # type: ignore[override]
        """Answer the user, piece by piece."""
        question = {"role": "user", "content": text}
        async with self.locks[session_id]:
            messages: Any = self.build(self.load(session_id), question)
            stream = await self.client.chat.completions.create(
                model=self.model, messages=messages, stream=True
            )
            pieces = []
            async for chunk in stream:
                if chunk.choices and (piece := chunk.choices[0].delta.content):
                    pieces.append(piece)
                    yield piece
            answer = {"role": "assistant", "content": "".join(pieces)}
            self.save(session_id, [question, answer])


class Clocked(AgentReference):
    """A bot whose system prompt has the time and the process, which are others after a restart."""

    def build(self, history: list[Message], question: Message) -> list[Message]:
        began, process = int(time.time()) // 2, os.getpid()
        self.system = f"You are the assistant of a bank. It is {began}, in process {process}."
        return super().build(history, question)


class OnePiece(AgentReference):
    """A bot that takes the model's reply as a whole, and yields it."""

    def say(self, session_id: str, text: str) -> Iterator[str]:  # type: ignore[override]
        yield super().say(session_id, text)


class Routed(ToolReference):
    """A bot that asks the model what a message is about, before it thinks with its tools."""

    def say(self, session_id: str, text: str) -> str:
        router = {"role": "system", "content": "Say in one word what the message is about."}
        topic = self.ask([router, {"role": "user", "content": text}])
        assert topic["content"].lower()
        return super().say(session_id, text)


class Repairing(ToolReference):
    """A bot that writes step by step, answers calls that were left open, and shows six messages."""

    declares: Mapping[str, Any] = {"threads": True, "tools": True, "window": 6}

    def say(self, session_id: str, text: str) -> str:
        self.save(session_id, [*self.close_calls(session_id), {"role": "user", "content": text}])
        while "tool_calls" in (answer := self.think(self.load(session_id))):
            self.save(session_id, [answer])
            self.save(session_id, self.call_tools(answer["tool_calls"]))
        self.save(session_id, [answer])
        return str(answer["content"])

    def close_calls(self, session_id: str) -> list[Message]:
        """Return results for the calls of a turn that was cut."""
        calls = [each.get("tool_calls", []) for each in self.load(session_id)[-1:]]
        return [
            {"role": "tool", "tool_call_id": call["id"], "content": "It was interrupted."}
            for each in calls
            for call in each
        ]

    def build(self, history: list[Message], question: Message) -> list[Message]:
        shown = [*history, question]
        begins = [at for at, each in enumerate(shown) if each["role"] == "user"]
        newest = begins[-1]
        begin = next(at for at in begins if newest - at <= 6)
        *rest, last = shown[begin:]
        return super().build(rest, last)


class Form(AgentReference):
    """A bot whose model answers in JSON, of which the user reads one field in capitals."""

    def say(self, session_id: str, text: str) -> str:
        question = {"role": "user", "content": text}
        schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
        wanted = {"type": "json_schema", "json_schema": {"name": "form", "schema": schema}}
        answer = self.ask(self.build(self.load(session_id), question), response_format=wanted)
        reply = str(json.loads(answer["content"])["answer"]).upper()
        self.save(session_id, [question, answer])
        return reply

"""An agent that is right, built on the client that most people use: no check may blame it."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from typing import Any

from goldfish.specimens.agents.reference import AgentReference


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

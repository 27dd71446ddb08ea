"""ConversationSummaryBufferMemory: of two summaries that are made at once, one is forgotten.

What leaves the buffer is taken out at once, and the summary is set when the model has answered: to
one that was made of the summary before. Exit 1 if a message is neither in the buffer nor in the
summary of a model that forgets nothing.

What to do: one turn at a time for each memory.
"""

import asyncio
import sys
from typing import Any

from langchain_classic.memory import ConversationSummaryBufferMemory
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import PromptTemplate


class Verbatim(FakeListChatModel):
    """A model whose summary is all that it is shown, when it may; each message is a token."""

    begun: Any
    go_on: Any

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:
        return len(messages)

    async def _agenerate(self, messages: Any, *others: Any, **options: Any) -> ChatResult:
        self.begun.release()
        await self.go_on.wait()
        told = AIMessage(str(messages[0].content))
        return ChatResult(generations=[ChatGeneration(message=told)])


async def main() -> int:
    model = Verbatim(responses=[""], begun=asyncio.Semaphore(0), go_on=asyncio.Event())
    memory = ConversationSummaryBufferMemory(
        llm=model,
        max_token_limit=4,
        return_messages=True,
        prompt=PromptTemplate.from_template("{summary}\n{new_lines}"),
    )
    names = [f"message {number}" for number in range(4)]
    for name in names[:2]:
        await memory.asave_context({"input": name}, {"output": "noted"})
    turns = []
    for name in names[2:]:
        turn = memory.asave_context({"input": name}, {"output": "noted"})
        turns.append(asyncio.create_task(turn))
        await model.begun.acquire()  # its summary is under way
    model.go_on.set()
    await asyncio.gather(*turns)
    told = "\n".join(str(each.content) for each in await memory.abuffer())  # type: ignore[union-attr]
    missing = [name for name in names if name not in told]
    print(f"{'broken' if missing else 'held'}: neither in the buffer nor in the summary: {missing}")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

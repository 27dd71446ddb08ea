"""ConversationSummaryBufferMemory: of two summaries that are made at once, one is forgotten.

What leaves the buffer is taken out at once, and the summary is set when the model has answered: to
one that was made of the summary before. Exit 1 if a message is neither in the buffer nor in the
summary of a model that forgets nothing.
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
    """A model whose summary is all that it is shown, after a moment; each message is a token."""

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:
        return len(messages)

    async def _agenerate(self, messages: Any, *others: Any, **options: Any) -> ChatResult:
        await asyncio.sleep(0.02)
        told = AIMessage(str(messages[0].content))
        return ChatResult(generations=[ChatGeneration(message=told)])


async def main() -> int:
    memory = ConversationSummaryBufferMemory(
        llm=Verbatim(responses=[""]),
        max_token_limit=4,
        return_messages=True,
        prompt=PromptTemplate.from_template("{summary}\n{new_lines}"),
    )
    names = [f"message {number}" for number in range(6)]
    for name in names[:2]:
        await memory.asave_context({"input": name}, {"output": "noted"})
    turns = [memory.asave_context({"input": name}, {"output": "noted"}) for name in names[2:]]
    await asyncio.gather(*turns)
    told = "\n".join(str(each.content) for each in await memory.abuffer())  # type: ignore[union-attr]
    missing = [name for name in names if name not in told]
    print(f"{'broken' if missing else 'held'}: neither in the buffer nor in the summary: {missing}")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

"""ConversationSummaryBufferMemory: what is cleared while a summary is made stands in it again.

The summary is set when the model has answered, whatever happened meanwhile. Exit 1 if a message
from before the clear is told after it.

What to do: clear only between turns, and wait for the turn that is under way.
"""

import asyncio
import sys
from typing import Any

from langchain_classic.memory import ConversationSummaryBufferMemory
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Verbatim(FakeListChatModel):
    """A model whose summary is all that it is shown, when it may; each message is a token."""

    begun: Any
    go_on: Any

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:
        return len(messages)

    async def _agenerate(self, messages: Any, *others: Any, **options: Any) -> ChatResult:
        self.begun.set()
        await self.go_on.wait()
        told = AIMessage(str(messages[0].content))
        return ChatResult(generations=[ChatGeneration(message=told)])


async def main() -> int:
    model = Verbatim(responses=[""], begun=asyncio.Event(), go_on=asyncio.Event())
    memory = ConversationSummaryBufferMemory(llm=model, max_token_limit=2, return_messages=True)
    await memory.asave_context({"input": "my card number is 1234"}, {"output": "noted"})
    turn = asyncio.create_task(memory.asave_context({"input": "hello"}, {"output": "hi"}))
    await model.begun.wait()  # the summary is under way
    await memory.aclear()
    model.go_on.set()
    await turn
    told = "\n".join(str(each.content) for each in await memory.abuffer())  # type: ignore[union-attr]
    back = "1234" in told
    there = "told" if back else "gone"
    print(f"{'broken' if back else 'held'}: after a clear the card number is {there}")
    return int(back)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

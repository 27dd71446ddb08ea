"""ConversationTokenBufferMemory: with asave_context, or over a stored history, it keeps no limit.

It keeps "only the most recent messages [...] under the constraint that the total number of tokens
[...] does not exceed a certain limit"; but only save_context cuts, and only out of the list that it
gets, which for a stored history is a copy (langchain issue 10078). Exit 1 if more is given.

What to do: cut the messages yourself with trim_messages before you ask the model.
"""

import asyncio
import sys
import tempfile
from typing import Any

from langchain_classic.memory import ConversationTokenBufferMemory
from langchain_community.chat_message_histories import SQLChatMessageHistory
from langchain_core.language_models import FakeListChatModel


class Counting(FakeListChatModel):
    """A model for which each message is a token."""

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:
        return len(messages)


MODEL = Counting(responses=["fine"])
LIMIT: Any = {"llm": MODEL, "max_token_limit": 4, "return_messages": True}
TURN: Any = ({"input": "how are you?"}, {"output": "fine"})


async def main() -> int:
    plain, awaited = ConversationTokenBufferMemory(**LIMIT), ConversationTokenBufferMemory(**LIMIT)
    with tempfile.TemporaryDirectory() as directory:
        history = SQLChatMessageHistory("chat", connection=f"sqlite:///{directory}/chat.db")
        stored = ConversationTokenBufferMemory(chat_memory=history, **LIMIT)
        for _ in range(5):
            plain.save_context(*TURN)
            stored.save_context(*TURN)
            await awaited.asave_context(*TURN)
        kinds = {"save_context": plain, "asave_context": awaited, "over SQL": stored}
        sizes = {
            name: len(each.load_memory_variables({})["history"]) for name, each in kinds.items()
        }
        history.engine.dispose()
    broken = max(sizes.values()) > 4
    print(f"{'broken' if broken else 'held'}: with a limit of 4 tokens there are {sizes}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

"""ConversationTokenBufferMemory: over a stored history each turn counts all tokens many times.

What is beyond the limit is taken out of a copy, message by message, and after each one all that is
left is counted anew; the history itself never gets shorter. With some hundred messages a turn
takes seconds: also behind DUR09, ORD08, FID27 and FID29. Exit 1 if one turn counts more than 100
times.

What to do: cut the messages yourself with trim_messages before you ask the model.
"""

import sys
import tempfile
from typing import Any

from langchain_classic.memory import ConversationTokenBufferMemory
from langchain_community.chat_message_histories import SQLChatMessageHistory
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage


class Counting(FakeListChatModel):
    """A model for which each message is a token, and that knows how often it was asked."""

    asked: int = 0

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:
        self.asked += 1
        return len(messages)


def main(directory: str) -> int:
    history = SQLChatMessageHistory("chat", connection=f"sqlite:///{directory}/chat.db")
    history.add_messages([HumanMessage(f"question {number}") for number in range(300)])
    model = Counting(responses=[""])
    memory = ConversationTokenBufferMemory(llm=model, chat_memory=history, max_token_limit=20)
    memory.save_context({"input": "one more"}, {"output": "noted"})
    history.engine.dispose()
    wrong = model.asked > 100
    said = f"one turn over 300 messages counts the tokens of all of them {model.asked} times"
    print(f"{'broken' if wrong else 'held'}: {said}")
    return int(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

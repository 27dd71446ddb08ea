"""ConversationSummaryBufferMemory: over a stored history nothing leaves the buffer.

What is beyond the limit is taken out of the list that it gets, which for a stored history is a
copy. So the same messages are summarised again in every turn, and all are given. Exit 1 if more
messages are given than the limit allows.

What to do: cut the messages yourself with trim_messages before you ask the model.
"""

import sys
import tempfile
from typing import Any

from langchain_classic.memory import ConversationSummaryBufferMemory
from langchain_community.chat_message_histories import SQLChatMessageHistory
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage

LIMIT = 4


class Counting(FakeListChatModel):
    """A model for which each message is a token."""

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:
        return len(messages)


def main(directory: str) -> int:
    history = SQLChatMessageHistory("chat", connection=f"sqlite:///{directory}/chat.db")
    memory = ConversationSummaryBufferMemory(
        llm=Counting(responses=["a summary"]),
        chat_memory=history,
        max_token_limit=LIMIT,
        return_messages=True,
    )
    for number in range(5):
        memory.save_context({"input": f"question {number}"}, {"output": "noted"})
    given = memory.load_memory_variables({})["history"]
    asked = sum(isinstance(each, HumanMessage) for each in given)
    history.engine.dispose()
    wrong = asked > LIMIT // 2
    said = f"with a limit of {LIMIT} messages the questions of {asked} turns are given"
    print(f"{'broken' if wrong else 'held'}: {said}")
    return int(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

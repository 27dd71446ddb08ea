"""RunnableWithMessageHistory: a turn of a chat model with a message of another role is not stored.

When the turn ends, its input is made anew of its trace, where ChatMessage and FunctionMessage are
not allowed; that this fails is logged and not raised. The history itself stores such messages. Exit
1 if the turn succeeds and its message is not in the history.

What to do: use the message classes of the common roles, or add to the history yourself.
"""

import sys
from typing import Any

from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import ChatMessage
from langchain_core.runnables.history import RunnableWithMessageHistory

CHAT: Any = {"configurable": {"session_id": "chat"}}


def main() -> int:
    history = InMemoryChatMessageHistory()
    chat = RunnableWithMessageHistory(FakeListChatModel(responses=["noted"]), lambda _: history)
    answer = chat.invoke([ChatMessage(role="moderator", content="be kind")], CHAT).content
    found = [each.content for each in history.messages]
    print(f"{'held' if found else 'broken'}: the turn returned {answer!r}; stored is {found}")
    return int(not found)


if __name__ == "__main__":
    sys.exit(main())

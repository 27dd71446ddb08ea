"""RunnableWithMessageHistory: a turn with an object in a message's metadata is not stored.

When the turn ends, its input is made anew of its trace, in which the object is only a description;
that this fails is logged and not raised. It is also behind FID22 and FID61. Exit 1 if the turn
succeeds and is not in the history.

What to do: put only what JSON has into messages.
"""

import sys
from dataclasses import dataclass
from typing import Any

from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage
from langchain_core.runnables.history import RunnableWithMessageHistory

CHAT: Any = {"configurable": {"session_id": "chat"}}


@dataclass
class Citation:
    page: int


def main() -> int:
    history = InMemoryChatMessageHistory()
    chat = RunnableWithMessageHistory(FakeListChatModel(responses=["noted"]), lambda _: history)
    message = HumanMessage("see there", response_metadata={"at": Citation(7)})
    answer = chat.invoke([message], CHAT).content
    found = [each.content for each in history.messages]
    print(f"{'held' if found else 'broken'}: the turn returned {answer!r}; stored is {found}")
    return int(not found)


if __name__ == "__main__":
    sys.exit(main())

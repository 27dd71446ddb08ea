"""RunnableWithMessageHistory: a turn succeeds though its history could not be stored.

The history is written by a listener, and what a listener raises is logged and not raised. It is
also behind FLT34. Exit 1 if the caller gets its answer and no error, and nothing is stored.

What to do: read the history after a turn that matters, or add to it yourself.
"""

import sys
from typing import Any

from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

CHAT: Any = {"configurable": {"session_id": "chat"}}


class FullDisk(InMemoryChatMessageHistory):
    """A history that cannot store anything, and says so."""

    def add_messages(self, messages: Any) -> None:
        raise OSError("no space left on device")


def main() -> int:
    history = FullDisk()
    chat = RunnableWithMessageHistory(RunnableLambda(lambda _: "noted"), lambda _: history)
    try:
        said = f"the turn returned {chat.invoke([HumanMessage('my name is Ann')], CHAT)!r}"
    except OSError as error:
        said = f"the turn raised {error}"
    swallowed = said.startswith("the turn returned")
    print(f"{'broken' if swallowed else 'held'}: {said}; stored is {history.messages}")
    return int(swallowed)


if __name__ == "__main__":
    sys.exit(main())

"""RunnableWithMessageHistory: a history that is cleared during a turn comes back.

When the turn ends, it takes so many messages off the front of its input as the history has, for
these were there already. It has none any more, so all that was cleared is written again. Exit 1 if
a message from before the clear is there after it.

What to do: take the same lock for a clear as for a turn of the session.
"""

import asyncio
import sys
from typing import Any

from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

CHAT: Any = {"configurable": {"session_id": "chat"}}


async def main() -> int:
    history, begun, go_on = InMemoryChatMessageHistory(), asyncio.Event(), asyncio.Event()

    async def think(messages: Any) -> str:
        if len(messages) > 1:
            begun.set()
            await go_on.wait()
        return "I see"

    chat = RunnableWithMessageHistory(RunnableLambda(think), lambda session_id: history)
    await chat.ainvoke([HumanMessage("my card number is 1234")], CHAT)
    turn = asyncio.create_task(chat.ainvoke([HumanMessage("hello")], CHAT))
    await begun.wait()
    history.clear()
    go_on.set()
    await turn
    found = [each.content for each in history.messages]
    back = "my card number is 1234" in found
    print(f"{'broken' if back else 'held'}: cleared during a turn, the history has {found}")
    return int(back)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

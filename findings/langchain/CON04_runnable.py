"""RunnableWithMessageHistory: of two turns at once, one loses its question.

When a turn ends, it reads the history once more and takes so many messages off the front of its
input, for these were there already; if another turn ended meanwhile, they are the wrong ones. Both
turns succeed. It is also behind CON01 to CON13, CON28, CON29 and DUR16 to DUR20. Exit 1 if a
question is missing.

What to do: one turn at a time for each session: a lock by session_id around invoke.
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
    history, together = InMemoryChatMessageHistory(), asyncio.Barrier(2)

    async def think(messages: Any) -> str:
        await together.wait()  # both turns are under way
        return f"an answer to {messages[-1].content}"

    chat = RunnableWithMessageHistory(RunnableLambda(think), lambda session_id: history)
    asked = ["a question", "another one"]
    await asyncio.gather(*(chat.ainvoke([HumanMessage(each)], CHAT) for each in asked))
    found = [each.content for each in history.messages]
    missing = [each for each in asked if each not in found]
    print(f"{'broken' if missing else 'held'}: both turns succeeded; the history has {found}")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

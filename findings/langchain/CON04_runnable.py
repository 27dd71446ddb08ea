"""RunnableWithMessageHistory: of two turns at once, one loses its question.

When a turn ends, it reads the history once more and takes so many messages off the front of its
input, for these were there already; if another turn ended meanwhile, they are the wrong ones. Both
turns succeed. Exit 1 if a question is missing.
"""

import asyncio
import sys
from typing import Any

from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

CHAT: Any = {"configurable": {"session_id": "chat"}}


async def think(messages: Any) -> str:
    question = str(messages[-1].content)
    await asyncio.sleep(0.1 if "slow" in question else 0.02)
    return f"an answer to {question}"


async def main() -> int:
    history = InMemoryChatMessageHistory()
    chat = RunnableWithMessageHistory(RunnableLambda(think), lambda session_id: history)
    asked = ["a slow question", "a quick question"]
    await asyncio.gather(*(chat.ainvoke([HumanMessage(each)], CHAT) for each in asked))
    found = [each.content for each in history.messages]
    missing = [each for each in asked if each not in found]
    print(f"{'broken' if missing else 'held'}: both turns succeeded; the history has {found}")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

"""A thread that is deleted during a turn comes back with all that was in it (langgraph 7206).

The turn ends by writing the whole state that it had read at its start. Exit 1 if a message from
before the deletion is there after it.

What to do: wait for the turns of a thread to end before deleting it, and refuse new ones.
"""

import asyncio
import sys
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

THREAD: Any = {"configurable": {"thread_id": "chat"}}


async def think(state: MessagesState) -> dict[str, list[Any]]:
    await asyncio.sleep(0.05)
    return {"messages": []}


async def main() -> int:
    builder = StateGraph(MessagesState)
    builder.add_node("think", think)
    builder.add_edge(START, "think")
    saver = InMemorySaver()
    graph: Any = builder.compile(checkpointer=saver)
    await graph.ainvoke({"messages": [("user", "my card number is 1234")]}, THREAD)
    turn = asyncio.create_task(graph.ainvoke({"messages": [("user", "hello")]}, THREAD))
    await asyncio.sleep(0.02)  # the turn is under way
    await saver.adelete_thread("chat")
    await turn
    found = [each.content for each in (await graph.aget_state(THREAD)).values.get("messages", [])]
    back = "my card number is 1234" in found
    print(f"{'broken' if back else 'held'}: deleted during a turn, the thread has {found}")
    return int(back)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

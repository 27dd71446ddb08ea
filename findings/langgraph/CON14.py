"""Messages that arrive while older ones are removed with RemoveMessage are gone, or those are back.

update_state reads the thread and writes all of it, as a turn does; of the two, the one that ends
last puts back what it had read. The same is behind CON15. Exit 1 if a message that was accepted is
gone, or one that was removed is there.

What to do: remove messages only between turns, under the lock of the thread.
"""

import asyncio
import sys
from typing import Any

from langchain_core.messages import HumanMessage, RemoveMessage
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
    graph: Any = builder.compile(checkpointer=InMemorySaver())
    await graph.ainvoke({"messages": [HumanMessage("old", id="old")]}, THREAD)
    turn = asyncio.create_task(graph.ainvoke({"messages": [HumanMessage("new")]}, THREAD))
    await asyncio.sleep(0.02)  # the turn is under way
    await graph.aupdate_state(THREAD, {"messages": [RemoveMessage(id="old")]}, as_node="think")
    await turn
    found = [each.content for each in (await graph.aget_state(THREAD)).values["messages"]]
    wrong = found != ["new"]
    print(f"{'broken' if wrong else 'held'}: 'old' was removed and 'new' said; there is {found}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

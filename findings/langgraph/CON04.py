"""Five turns at once on one thread all succeed, and the thread remembers one (langgraph 8796).

A turn reads the thread at its start and writes all of it at its end; nothing refuses a turn whose
start was overtaken. The same is behind CON05, CON06, CON08 and CON29, and with several processes
behind CON01. Exit 1 if a turn that succeeded is gone.

What to do: let one turn at a time run on a thread: a lock for each thread_id.
"""

import asyncio
import sqlite3
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

TURNS = 5
THREAD: Any = {"configurable": {"thread_id": "chat"}}


def graph_on(saver: Any, node: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("think", node)
    graph.add_edge(START, "think")
    return graph.compile(checkpointer=saver)


async def think(state: MessagesState) -> dict[str, list[Any]]:
    await asyncio.sleep(0.05)
    return {"messages": []}


def said(number: int) -> dict[str, list[Any]]:
    return {"messages": [("user", f"turn {number}")]}


async def tasks_on_a_dict() -> int:
    graph = graph_on(InMemorySaver(), think)
    await asyncio.gather(*(graph.ainvoke(said(each), THREAD) for each in range(TURNS)))
    return len((await graph.aget_state(THREAD)).values["messages"])


def threads_on_a_file(path: Path) -> int:
    connection = sqlite3.connect(path, check_same_thread=False)
    graph = graph_on(SqliteSaver(connection), lambda state: {"messages": []})
    with ThreadPoolExecutor(TURNS) as pool:
        list(pool.map(lambda each: graph.invoke(said(each), THREAD), range(TURNS)))
    remembered = len(graph.get_state(THREAD).values["messages"])
    connection.close()
    return remembered


def main() -> int:
    in_memory = asyncio.run(tasks_on_a_dict())
    with tempfile.TemporaryDirectory() as place:
        in_sqlite = threads_on_a_file(Path(place) / "checkpoints.sqlite")
    lost = in_memory < TURNS or in_sqlite < TURNS
    print(
        f"{'broken' if lost else 'held'}: {TURNS} turns at once succeeded; "
        f"InMemorySaver remembers {in_memory}, SqliteSaver {in_sqlite}"
    )
    return int(lost)


if __name__ == "__main__":
    sys.exit(main())

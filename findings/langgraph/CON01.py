"""Three processes take turns on one thread in a SQLite file: some that succeeded are gone.

Each turn reads the thread at its start and writes all of it at its end. The same is behind CON02,
CON03, CON09, CON10, CON11, CON13, CON15, CON18, CON28, DUR16 to DUR20, FLT04, FLT13, FLT14
and SNP28, where several callers write to one session. Exit 1 if a turn that succeeded is gone.

What to do: let one process at a time take a turn on a thread: a queue, or a lock that all share.
"""

import multiprocessing
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

PROCESSES, TURNS = 3, 20
THREAD: Any = {"configurable": {"thread_id": "chat"}}


def graph_in(path: str) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("listen", lambda state: {"messages": []})
    graph.add_edge(START, "listen")
    connection = sqlite3.connect(path, check_same_thread=False)
    return graph.compile(checkpointer=SqliteSaver(connection))


def take_turns(path: str, who: int, together: Any, done: Any) -> None:
    graph = graph_in(path)
    together.wait()
    for number in range(TURNS):
        graph.invoke({"messages": [("user", f"{who}, turn {number}")]}, THREAD)
        done.release()


def main(path: str) -> int:
    graph_in(path).get_state(THREAD)  # makes the tables
    spawning = multiprocessing.get_context("spawn")
    together, done = spawning.Barrier(PROCESSES), spawning.Semaphore(0)
    processes = [
        spawning.Process(target=take_turns, args=(path, who, together, done))
        for who in range(PROCESSES)
    ]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    succeeded = sum(done.acquire(block=False) for _ in range(PROCESSES * TURNS))
    there = len(graph_in(path).get_state(THREAD).values["messages"])
    lost = there < succeeded
    print(f"{'broken' if lost else 'held'}: {succeeded} turns succeeded, {there} are remembered")
    return int(lost)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "checkpoints.sqlite")))

"""A fork at a checkpoint of another thread raises nothing, and empties the thread.

update_state does not find it in this thread, goes on from an empty state, and makes that the latest
one. (Nothing of the other thread is given away.) Exit 1 if the thread has lost its messages by it.

What to do: keep the thread with the id of each checkpoint, and compare before forking.
"""

import sys
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def main() -> int:
    builder = StateGraph(MessagesState)
    builder.add_node("listen", lambda state: {"messages": []})
    builder.add_edge(START, "listen")
    graph: Any = builder.compile(checkpointer=InMemorySaver())
    for name in ("ann", "bob"):
        graph.invoke({"messages": [("user", f"I am {name}")]}, thread(name))
    at = dict(graph.get_state(thread("bob")).config["configurable"], thread_id="ann")
    try:
        graph.update_state({"configurable": at}, {"messages": []}, as_node="listen")
    except Exception as error:
        print(f"held: refused with {type(error).__name__}: {error}")
        return 0
    found = [each.content for each in graph.get_state(thread("ann")).values["messages"]]
    print(f"broken: a fork of ann's thread at bob's checkpoint was accepted; it now has {found}")
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""A fork at a checkpoint that does not exist raises nothing, and empties the thread.

update_state goes on from an empty state, and makes that the latest one of the thread. Exit 1 if the
thread has lost its messages by it.

What to do: look with get_state whether there is such a checkpoint before forking from it.
"""

import sys
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

THREAD: Any = {"configurable": {"thread_id": "chat"}}
NOWHERE: Any = {
    "configurable": {"thread_id": "chat", "checkpoint_ns": "", "checkpoint_id": "no-such-one"}
}


def main() -> int:
    builder = StateGraph(MessagesState)
    builder.add_node("listen", lambda state: {"messages": []})
    builder.add_edge(START, "listen")
    graph: Any = builder.compile(checkpointer=InMemorySaver())
    graph.invoke({"messages": [("user", "hello")]}, THREAD)
    try:
        graph.update_state(NOWHERE, {"messages": []}, as_node="listen")
    except Exception as error:
        print(f"held: refused with {type(error).__name__}: {error}")
        return 0
    found = [each.content for each in graph.get_state(THREAD).values["messages"]]
    print(f"broken: a fork at an unknown checkpoint was accepted; the thread now has {found}")
    return 1


if __name__ == "__main__":
    sys.exit(main())

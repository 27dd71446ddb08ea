"""A LangGraph agent with a checkpointer on a SQLite file, as a target."""

from collections.abc import Iterator, Sequence
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.prebuilt import create_react_agent

import goldfish
from goldfish.testing import LangChainModel


class Agent:
    """What goldfish asks of a memory, asked of the agent."""

    def __init__(self, saver: SqliteSaver) -> None:
        self.graph = create_react_agent(LangChainModel(), tools=[], checkpointer=saver)
        self.clear = saver.delete_thread

    def add_messages(self, session_id: str, messages: Sequence[goldfish.ChatMessage]) -> None:
        said = [("user", each.content) for each in messages]
        self.graph.invoke({"messages": said}, thread(session_id))

    def get_history(self, session_id: str) -> list[Any]:
        found: list[Any] = self.graph.get_state(thread(session_id)).values.get("messages", [])
        return found


def thread(session_id: str) -> Any:
    return {"configurable": {"thread_id": session_id}}


@goldfish.target(answers=True, carries={"content"}, retries=False)
def agent(sandbox: Any) -> Iterator[Agent]:
    with SqliteSaver.from_conn_string(str(sandbox.path / "agent.db")) as saver:
        yield Agent(saver)

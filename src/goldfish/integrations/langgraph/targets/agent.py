"""Whole agents of LangChain on LangGraph's checkpointers, as targets."""

from collections.abc import Iterator
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver

from goldfish.integrations.langgraph import LANGGRAPH
from goldfish.integrations.langgraph.targets.checkpointers import FILE, open_pool
from goldfish.integrations.shop import INSTRUCTIONS, find_order

TRIGGER, KEPT = 16, 6  # messages: when a summary is made, and what it leaves


class GraphAgent:
    """An agent that is a graph: a session is a thread of its checkpointer."""

    def __init__(self, graph: Any, saver: BaseCheckpointSaver[Any]) -> None:
        self._graph = graph
        self._saver = saver

    def say(self, session_id: str, text: str) -> str:
        """Run the graph on the session's thread."""
        thread = {"configurable": {"thread_id": session_id}}
        state = self._graph.invoke({"messages": [("user", text)]}, thread)
        return str(state["messages"][-1].text)

    def forget(self, session_id: str) -> None:
        """Delete the session's thread."""
        self._saver.delete_thread(session_id)


def make_agent(sandbox: Any, saver: BaseCheckpointSaver[Any], **options: Any) -> GraphAgent:
    """Return an agent with one tool on a checkpointer."""
    graph = create_agent(
        ChatOpenAI(model=sandbox.model_name),
        [find_order],
        system_prompt=INSTRUCTIONS,
        checkpointer=saver,
        **options,
    )
    return GraphAgent(graph, saver)


@LANGGRAPH.agent("agent-langgraph", tools=True, system=INSTRUCTIONS, threads=True)
def sqlite(sandbox: Any) -> Iterator[GraphAgent]:
    """Keep threads in a SQLite file."""
    with SqliteSaver.from_conn_string(str(sandbox.path / FILE)) as saver:
        yield make_agent(sandbox, saver)


@LANGGRAPH.agent(
    "agent-langgraph-postgres",
    services=["postgres"],
    tools=True,
    system=INSTRUCTIONS,
    threads=True,
)
def postgres(sandbox: Any) -> Iterator[GraphAgent]:
    """Keep threads in PostgreSQL."""
    with open_pool(sandbox) as pool:
        saver = PostgresSaver(pool)
        saver.setup()
        yield make_agent(sandbox, saver)


@LANGGRAPH.agent(
    "agent-langchain-summarization",
    tools=True,
    system=INSTRUCTIONS,
    threads=True,
    window=TRIGGER,
    summarises=True,
)
def summarization(sandbox: Any) -> Iterator[GraphAgent]:
    """Summarise all but the newest messages when there are too many; no token is counted."""
    middleware = SummarizationMiddleware(
        ChatOpenAI(model=sandbox.model_name),
        trigger=("messages", TRIGGER),
        keep=("messages", KEPT),
    )
    with SqliteSaver.from_conn_string(str(sandbox.path / FILE)) as saver:
        yield make_agent(sandbox, saver, middleware=[middleware])

"""A whole deep agent as a target, with its threads in SQLite."""

from collections.abc import Iterator
from typing import Any

from deepagents import create_deep_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver

from goldfish.integrations.deepagents import DEEPAGENTS
from goldfish.integrations.langgraph.targets.agent import GraphAgent
from goldfish.integrations.langgraph.targets.checkpointers import FILE
from goldfish.integrations.shop import INSTRUCTIONS, find_order


# Of its tools only ours is called: the others read and write files, and start other agents.
@DEEPAGENTS.agent(
    "agent-deepagents", tools=[find_order.__name__], system=INSTRUCTIONS, threads=True
)
def sqlite(sandbox: Any) -> Iterator[GraphAgent]:
    """Keep threads in a SQLite file."""
    model = ChatOpenAI(model=sandbox.model_name)
    with SqliteSaver.from_conn_string(str(sandbox.path / FILE)) as saver:
        graph = create_deep_agent(
            model, [find_order], system_prompt=INSTRUCTIONS, checkpointer=saver
        )
        yield GraphAgent(graph, saver)

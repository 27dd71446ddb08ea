"""LangChain's SummarizationMiddleware in an agent, as a target."""

from collections.abc import Iterator
from typing import Any

from langchain.agents.middleware import SummarizationMiddleware
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver

from goldfish.integrations.langchain import LANGCHAIN
from goldfish.integrations.langgraph.targets.agent import GraphAgent, make_agent
from goldfish.integrations.langgraph.targets.checkpointers import FILE
from goldfish.integrations.shop import INSTRUCTIONS

TRIGGER, KEPT = 16, 6  # messages


@LANGCHAIN.agent(
    "agent-langchain-summarization",
    tools=True,
    system=INSTRUCTIONS,
    threads=True,
    window=TRIGGER,
    summarises=True,
)
def summarization(sandbox: Any) -> Iterator[GraphAgent]:
    """Summarise all but the newest messages when there are too many; count no tokens."""
    middleware = SummarizationMiddleware(
        ChatOpenAI(model=sandbox.model_name),
        trigger=("messages", TRIGGER),
        keep=("messages", KEPT),
    )
    with SqliteSaver.from_conn_string(str(sandbox.path / FILE)) as saver:
        yield make_agent(sandbox, saver, middleware=[middleware])

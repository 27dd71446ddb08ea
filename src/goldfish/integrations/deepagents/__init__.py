"""Deep Agents: an agent that plans and delegates, on LangGraph's checkpointers, as a target.

What its documentation says was read in the package itself, in November 2026.
"""

from goldfish.integrations.library import BuiltIn, Library

DEEPAGENTS = Library(
    name="deepagents",
    title="Deep Agents",
    extra="deepagents",
    distributions=("deepagents", "langchain", "langgraph", "langgraph-checkpoint-sqlite"),
    targets=(
        BuiltIn(
            "agent-deepagents",
            "sqlite",
            "a deep agent with its threads in SQLite",
            "a checkpointer persists the agent's state between runs (docstring of "
            "create_deep_agent), without a limit",
            module=f"{__name__}.agent",
            extra="deepagents",
            packages=(
                "deepagents",
                "langchain_openai",
                "langgraph.checkpoint.sqlite",
                "psycopg_pool",
                "starlette",
            ),
        ),
    ),
)

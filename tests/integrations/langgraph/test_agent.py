"""Whole agents of LangChain on LangGraph's checkpointers, judged by their prompts."""

from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs(
    "langchain", "langchain-openai", "langgraph-checkpoint-sqlite", "psycopg-pool", "starlette"
)


def test_an_agent_is_blamed_for_turns_at_once_and_for_a_killed_tool() -> None:
    """findings/langgraph has both without goldfish; the rest is held."""
    broken = dict.fromkeys(("CTX29", "CTX33"), "broken")
    assert_blamed("agent-langgraph", dict.fromkeys(("CTX01", "CTX40"), "held") | broken)


def test_an_agent_on_postgres_is_known_to_other_workers() -> None:
    """They share one database."""
    assert_blamed("agent-langgraph-postgres", {"CTX08": "held"})


def test_a_summary_keeps_what_left_the_window_and_no_half_turns() -> None:
    """SummarizationMiddleware keeps calls and results together, and the newest message."""
    assert_blamed(
        "agent-langchain-summarization", dict.fromkeys(("CTX19", "CTX21", "CTX22"), "held")
    )

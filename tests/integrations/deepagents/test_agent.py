"""A whole deep agent, judged by its prompts."""

from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs(
    "deepagents", "langchain-openai", "langgraph-checkpoint-sqlite", "psycopg-pool", "starlette"
)


def test_a_deep_agent_survives_a_killed_tool() -> None:
    """It gives a call whose result is missing one of its own before the model sees it."""
    assert_blamed("agent-deepagents", dict.fromkeys(("CTX01", "CTX33"), "held"))

"""A whole agent of Google's ADK, judged by its prompts."""

from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs("google-adk", "aiosqlite", "starlette")


def test_an_agent_is_held_and_its_sessions_belong_to_users() -> None:
    """A killed tool leaves a session that goes on; two users may name the same session."""
    assert_blamed("agent-adk", dict.fromkeys(("CTX01", "CTX25", "CTX33"), "held"))

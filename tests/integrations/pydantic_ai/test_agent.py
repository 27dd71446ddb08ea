"""A whole agent of Pydantic AI, judged by its prompts."""

from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs("pydantic-ai-slim", "openai", "starlette")


def test_an_agent_whose_messages_are_stored_turn_by_turn_is_held() -> None:
    """Turns at once are both stored, and a killed one is not there at all."""
    assert_blamed("agent-pydantic-ai", dict.fromkeys(("CTX01", "CTX29", "CTX33"), "held"))

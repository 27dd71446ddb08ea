"""Whole agents of the OpenAI Agents SDK, judged by their prompts."""

from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs("openai-agents", "starlette")


def test_an_agent_with_sessions_in_sqlite_is_held() -> None:
    """Tools that are called at once are parts of one answer, whose results follow it."""
    assert_blamed("agent-openai-agents", dict.fromkeys(("CTX01", "CTX41", "CTX53"), "held"))


def test_an_agent_whose_sessions_are_compacted_is_held() -> None:
    """What left the session is in the item that the provider made of it."""
    expected = dict.fromkeys(("CTX21", "CTX22"), "held") | {"CTX10": "unsupported"}
    assert_blamed("agent-openai-agents-compaction", expected)

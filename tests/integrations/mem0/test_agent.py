"""A whole agent with Mem0, which extracts facts through the mirror, judged by its prompts."""

from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs("mem0ai", "qdrant-client", "openai", "starlette")


def test_a_user_is_known_in_her_next_session_and_what_was_forgotten_comes_back() -> None:
    """What delete_all leaves is shown to the model that extracts: findings/mem0/CTX49.py."""
    assert_blamed("agent-mem0", {"CTX28": "held", "CTX49": "broken"})

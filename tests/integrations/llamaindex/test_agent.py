"""A whole agent of LlamaIndex, judged by its prompts."""

from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs("llama-index-llms-ollama", "aiosqlite", "greenlet", "starlette")


def test_an_agent_is_blamed_for_what_happens_at_once() -> None:
    """findings/llamaindex has scripts of both; one result of a tool needs no id to be known."""
    held = dict.fromkeys(("CTX01", "CTX40"), "held")
    assert_blamed("agent-llamaindex", held | {"CTX31": "broken", "CTX41": "broken"})

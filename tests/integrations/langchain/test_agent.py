"""LangChain's chains with a memory, judged by their prompts."""

import pytest

from tests.integrations.blame import assert_blamed
from tests.packages import needs

pytestmark = needs("langchain-classic", "langchain-community", "langchain-openai", "starlette")


def test_a_runnable_with_a_history_streams_and_remembers() -> None:
    """A caller who leaves in the middle of a reply costs one turn."""
    assert_blamed("agent-langchain-runnable", dict.fromkeys(("CTX13", "CTX48"), "held"))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("buffer", {"CTX12": "held", "CTX09": "unsupported"}),
        ("window", {"CTX17": "held", "CTX18": "held"}),
        ("summary-buffer", {"CTX21": "held", "CTX46": "broken"}),
    ],
)
def test_a_classic_memory_is_blamed_for_its_faults_only(
    kind: str, expected: dict[str, str]
) -> None:
    """They live in one process, and only a summary that fails costs messages."""
    assert_blamed(f"agent-langchain-{kind}", expected)

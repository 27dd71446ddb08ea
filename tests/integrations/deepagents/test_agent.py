"""A whole deep agent, judged by its prompts."""

import pytest

pytest.importorskip("deepagents")
pytest.importorskip("langchain_openai")
pytest.importorskip("langgraph.checkpoint.sqlite")
pytest.importorskip("psycopg_pool")
pytest.importorskip("starlette")

from tests.integrations.blame import assert_blamed


def test_a_deep_agent_survives_a_killed_tool() -> None:
    """It gives a call whose result is missing one of its own before the model sees it."""
    assert_blamed("agent-deepagents", dict.fromkeys(("CTX01", "CTX33"), "held"))

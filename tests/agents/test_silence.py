"""Turns that were not answered: whose fault that is."""

from random import Random
from typing import Any

import pytest

from goldfish.agents.agent import Agent
from goldfish.agents.turns import Turn
from goldfish.harness.patience import LateError
from goldfish.mirror import Exchange, Prompt

STAGE: Any = None
TALK: Any = type("Talk", (), {"session": "s"})


def test_a_turn_that_failed_is_the_agents_fault_unless_its_clock_ran_out_on_a_late_machine() -> (
    None
):
    """A machine that is late tells nothing of the agent."""
    turn = Turn(1, "s", "u", "m00001", "hi", "worker1", outcome="failed", error="it broke")
    agent = Agent(STAGE, Random(0))
    assert agent.blame_silence(TALK, turn).finding == "refused"
    turn.is_late = True
    with pytest.raises(LateError, match="it broke"):
        agent.blame_silence(TALK, turn)


def test_a_refusal_is_told_in_the_words_of_the_provider() -> None:
    """They say what is wrong with the prompt."""
    refused = Exchange(1, "POST /v1/messages", "anthropic", Prompt(()), ended="refused")
    refused.refusal = "messages: text content blocks must be non-empty"
    turn = Turn(1, "s", "u", "m00001", "hi", "worker1", outcome="failed", exchanges=[refused])
    assert refused.refusal in str(Agent(STAGE, Random(0)).blame_silence(TALK, turn))

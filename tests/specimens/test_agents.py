"""Agents that are right are not blamed, whatever their shape."""

import os
import random

import pytest

from goldfish.catalogue.registry import Check, catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Verdict
from goldfish.specimens.agents.forgetting import ForgettingSummaryReference
from goldfish.specimens.agents.reference import AgentReference
from goldfish.specimens.agents.reference_stream import StreamReference
from goldfish.specimens.agents.reference_tools import ToolWindowReference
from goldfish.specimens.agents.reference_users import UserReference
from goldfish.specimens.agents.reference_window import BudgetReference
from goldfish.targets.agents import make_agent
from tests.specimens.right_agents import (
    Clocked,
    Form,
    OnePiece,
    OpenAIStream,
    Repairing,
    Routed,
)

NOT_BLAMED = {Verdict.HELD, Verdict.UNSUPPORTED}


def sample(name: str) -> list[Check]:
    """Two checks of agents by lot; all of them with GOLDFISH_WHOLE_GALLERY=1."""
    checks = [each for each in catalogue().values() if each.about == "prompts"]
    whole = os.environ.get("GOLDFISH_WHOLE_GALLERY")
    return checks if whole else random.Random(name).sample(checks, 2)


@pytest.mark.parametrize(
    "agent",
    [
        AgentReference,
        BudgetReference,
        ForgettingSummaryReference,
        StreamReference,
        ToolWindowReference,
        UserReference,
        OpenAIStream,
    ],
)
def test_an_agent_that_is_right_is_not_blamed(agent: type[AgentReference]) -> None:
    """With a window, a budget, a summary, tools, users, in a stream, or on openai's client."""
    if agent is OpenAIStream:
        pytest.importorskip("openai")
    target = make_agent(agent, name=agent.__name__, **agent.declares)
    report = run(target, sample(agent.__name__), Plan(workers=2, deadline=30.0))
    assert [each for each in report.results if each.verdict not in NOT_BLAMED] == []


@pytest.mark.parametrize(
    ("agent", "codes"),
    [
        (Routed, "CTX10 CTX40 CTX47"),
        (Repairing, "CTX33"),
        (Form, "CTX10 CTX54"),
        (Clocked, "CTX16"),
    ],
)
def test_an_agent_of_another_shape_is_not_blamed(agent: type[AgentReference], codes: str) -> None:
    """One that routes, one that repairs cut turns in a small window, a form, one with a clock."""
    checks = [catalogue()[code] for code in codes.split()]
    target = make_agent(agent, name=agent.__name__, **agent.declares)
    report = run(target, checks, Plan(workers=2, deadline=30.0))
    assert {each.verdict for each in report.results} == {Verdict.HELD}


def test_a_reply_in_one_piece_is_not_cut_in_its_middle() -> None:
    """Nobody can say what would have come of it."""
    target = make_agent(OnePiece, name="OnePiece", **OnePiece.declares)
    (result,) = run(target, [catalogue()["CTX34"]], Plan(deadline=30.0)).results
    assert result.verdict is Verdict.UNSUPPORTED
    assert result.summary == "it takes the model's reply in one piece"

"""Results of tools in a prompt, with the ids of their calls and without."""

from typing import Any

import pytest

from goldfish.agents.tool_calls import expect_results
from goldfish.agents.turns import Turn
from goldfish.findings.result import Violation
from goldfish.mirror import Exchange, Message, Prompt, ToolCall

CALLS = (
    ToolCall("call_1", "find", '{"a": "t10001"}'),
    ToolCall("call_2", "find", '{"a": "t20002"}'),
)


class Talk:
    """A conversation of which only the turns matter."""

    session = "s"

    def __init__(self, *before: Turn) -> None:
        self.before = before

    def list_before(self, turn: Turn) -> tuple[Turn, ...]:
        return self.before


TALK: Any = Talk()


def show(*results: Message) -> Turn:
    """Return a turn whose model called two tools, and was then shown these results."""
    asked = Exchange(1, "POST /api/chat", "ollama", Prompt((Message("user", "hi"),)), calls=CALLS)
    shown = Prompt((Message("user", "hi"), Message("assistant", calls=CALLS), *results))
    answered = Exchange(2, "POST /api/chat", "ollama", shown)
    turn = Turn(1, "s", "u", "m00001", "hi", "worker1")
    turn.exchanges, turn.main = [asked, answered], answered
    return turn


def result(text: str, call_id: str | None) -> Message:
    return Message("tool", text, call_id=call_id)


@pytest.mark.parametrize("ids", [("call_1", "call_2"), ("find", "find"), (None, None)])
def test_results_are_known_by_their_ids_or_by_their_order(ids: tuple[str | None, ...]) -> None:
    """Ollama knows no ids, and names the tool at most."""
    expect_results(TALK, show(result("t10001", ids[0]), result("t20002", ids[1])))


@pytest.mark.parametrize("call_id", ["find", None])
def test_a_result_that_is_missing_or_belongs_to_another_call_is_seen(call_id: str | None) -> None:
    """Without ids it is the words of the arguments that tell."""
    with pytest.raises(Violation, match="shown 1 results"):
        expect_results(TALK, show(result("t10001", call_id)))
    with pytest.raises(Violation, match="not in the order of their calls, and have no ids"):
        expect_results(TALK, show(result("t20002", call_id), result("t10001", call_id)))


def test_a_result_of_an_earlier_turn_is_stale() -> None:
    """A result that was kept is served for the call of a later turn, and nobody asked the tool."""
    old = ToolCall("call_0", "find", '{"a": "t30003"}')
    earlier = Turn(1, "s", "u", "m00001", "hi", "worker1")
    earlier.exchanges = [
        Exchange(1, "POST", "openai", Prompt((Message("user", "hi"),)), calls=(old,))
    ]
    talk: Any = Talk(earlier)
    expect_results(talk, show(result("t10001, not t30003", "call_1"), result("t20002", "call_2")))
    with pytest.raises(Violation, match=r"stale: .* call_2 has the result of a call of turn 1"):
        expect_results(talk, show(result("t10001", "call_1"), result("t30003", "call_2")))

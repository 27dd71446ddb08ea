"""Calls that failed or never ended though nothing was done to the world: refused, wedged."""

import pytest

from goldfish.history import FAULT, Call
from goldfish.history.notation import parse_history
from goldfish.judges import judge


def kinds(text: str) -> list[str]:
    """The kinds that were found."""
    return [finding.kind for finding in judge(parse_history(text)).findings]


@pytest.mark.parametrize("action", ["add a", "read", "last 2", "trim 1", "clear"])
def test_an_error_without_a_fault_is_refused(action: str) -> None:
    """Every call has to succeed as long as nothing is wrong with the world."""
    assert kinds(f"0-1 p s {action} !") == ["refused"]
    assert kinds(f"0-1 p s {action} !\n2-3 fault kill p") == ["refused"]


@pytest.mark.parametrize("fault", ["0-9", "2-4", "4-5", "0-3.5", "5-9"])
def test_an_error_during_a_fault_is_expected(fault: str) -> None:
    """A call that overlaps a fault may fail."""
    assert kinds(f"3-5 p s add a !\n{fault} fault cut") == []


def _unanswered(*, timed_out: bool) -> Call:
    return Call("p", "s", "add", ("a",), None, 0.0, 9.0, "unknown", timed_out=timed_out)


def test_no_answer_without_a_fault_is_wedged() -> None:
    """A store that stops answering by itself is wedged."""
    (wedged,) = judge([_unanswered(timed_out=True)]).findings
    assert (wedged.kind, wedged.calls) == ("wedged", (_unanswered(timed_out=True),))


def test_no_answer_during_a_fault_is_expected() -> None:
    """A store need not answer while the world is broken."""
    fault = Call(FAULT, "", FAULT, "pause", None, 8.0, 8.5)
    assert judge([_unanswered(timed_out=True), fault]).findings == ()


def test_a_call_that_was_cut_off_is_not_held_against_the_store() -> None:
    """Whoever was killed in a call got no answer, and that is nobody's fault."""
    assert judge([_unanswered(timed_out=False)]).findings == ()

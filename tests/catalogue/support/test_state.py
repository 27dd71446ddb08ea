"""What is said about values that came back: the right word for each difference."""

from typing import Any

import pytest

from goldfish.catalogue.support.state import ExpectedState, Owner
from goldfish.findings.result import Violation

CHAT, ANN = Owner("chat"), Owner("chat", "ann")


def expected_state() -> ExpectedState:
    """A value of a session that was replaced, one that was not, and one of a user."""
    expected = ExpectedState(memory=None)  # type: ignore[arg-type]  # nothing is asked of a memory
    expected.note(CHAT, {"theme": "dark", "pages": [1, 2]})
    expected.note(CHAT, {"theme": "light"})
    expected.note(ANN, {"town": "Rome"})
    return expected


@pytest.mark.parametrize(
    ("found", "finding"),
    [
        ({"theme": "light"}, "lost"),
        ({}, "lost"),
        ({"theme": "dark", "pages": [1, 2]}, "stale"),
        ({"theme": "light", "pages": [1, 2], "town": "Rome"}, "leaked"),
        ({"theme": "light", "pages": [1, 2], "age": 7}, "phantom"),
        ({"theme": "light", "pages": [1]}, "corrupted"),
    ],
)
def test_each_difference_has_its_word(found: dict[str, Any], finding: str) -> None:
    """Missing, replaced, of another owner, never set, changed."""
    with pytest.raises(Violation) as violation:
        expected_state().compare(CHAT, found)
    assert violation.value.finding == finding


def test_a_user_has_the_same_values_in_every_session() -> None:
    """The session only names where the user is asked for."""
    expected_state().compare(Owner("another chat", "ann"), {"town": "Rome"})


def test_a_value_in_doubt_may_be_there_or_not_but_has_to_stay() -> None:
    """Setting it failed, which may have been before or after it was stored."""
    expected, before = expected_state(), {"theme": "light", "pages": [1, 2]}
    expected.doubtful[CHAT] = {"theme": "blue"}
    expected.compare(CHAT, before)
    expected.compare(CHAT, {**before, "theme": "blue"})
    with pytest.raises(Violation, match="was replaced, but is still returned") as violation:
        expected.compare(CHAT, before)
    assert violation.value.finding == "stale"

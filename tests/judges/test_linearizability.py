"""The brute force that the judges are measured by."""

import pytest

from goldfish.history.notation import parse_history
from tests.judges.linearizability import linearizable


@pytest.mark.parametrize(
    "text",
    [
        "0-1 p s add a\n2-3 p s read: a",
        "0-9 p s add a\n1-2 q s read:\n3-4 q s read: a",
        "0-1 p s add a\n1-2 q s read:",
        "0-1 p s add a ?\n2-3 q s read:\n4-5 q s read: a",
        "0-1 p s add a\n2-3 p s clear !\n4-5 q s read: a\n6-7 q s read:",
        "0-1 p s add a b\n2-3 p s trim 1\n4-5 q s read: b",
        "0-1 p s add a b c\n2-3 q s last 2: b c",
    ],
)
def test_what_can_be_explained(text: str) -> None:
    """A history is accepted if some order of its calls explains it."""
    assert linearizable(parse_history(text).calls)


@pytest.mark.parametrize(
    "text",
    [
        "0-1 p s add a\n2-3 p s read:",
        "0-9 p s add a\n1-2 q s read: a\n3-4 q s read:",
        "0-1 p s add a b ?\n2-3 q s read: a",
        "0-1 p s add a\n2-3 p s clear\n4-5 q s read: a",
        "0-1 p s add a b\n2-3 p s trim 1\n4-5 q s read:",
        "0-1 p s add a b c\n2-3 q s last 2: a b",
        "0-1 p s add a\n2-3 p t read: a",
    ],
)
def test_what_cannot_be_explained(text: str) -> None:
    """A history is rejected if no order of its calls explains it."""
    assert not linearizable(parse_history(text).calls)

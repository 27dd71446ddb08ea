"""The word for what is wrong between two histories."""

from typing import Any

import pytest

from goldfish.findings.comparison import expect_contents, quote, quote_lists, quote_pair
from goldfish.findings.kinds import KINDS
from goldfish.findings.remainder import find_remainder
from goldfish.findings.result import Violation

A, B, C, D = (f"[ISO01-{n}] {word}" for n, word in enumerate(["ay", "bee", "see", "dee"]))


@pytest.mark.parametrize(
    ("expected", "found", "finding"),
    [
        ([A, B, C], [A, B], "lost"),
        ([A, B, C], [], "lost"),
        ([A, A, B], [A, B], "lost"),
        ([A, B], [A, B, B], "duplicated"),
        ([A, B, C], [A, C, B], "reordered"),
        ([A, B], [A, B.upper()], "corrupted"),
        ([A, B], [A, B[:8]], "corrupted"),
        ([A, B], [A, ""], "corrupted"),
        ([A, B], [A, B, "who wrote this?"], "phantom"),
        ([A], [A, D], "leaked"),
        ([], [D], "leaked"),
        ([B], [C, B], "resurrected"),
    ],
)
def test_the_difference_gets_its_name(expected: list[Any], found: list[Any], finding: str) -> None:
    """Each way to be wrong has a word, and it is chosen with the evidence at hand."""
    with pytest.raises(Violation) as caught:
        expect_contents(expected, found, session="s", foreign=[D], gone=[C])
    assert caught.value.finding == finding
    assert len(caught.value.evidence) == 2


def test_equal_histories_are_fine() -> None:
    """Nothing is raised where nothing is wrong, also for parts."""
    history = [A, [{"type": "text"}]]
    expect_contents(history, list(history), session="s")
    with pytest.raises(Violation):
        expect_contents(history, history[:1], session="s")


def test_evidence_is_short_and_printable() -> None:
    """Hostile or huge contents do not spoil a report."""
    assert "\x1b" not in quote("\x1b[31mred")
    assert len(quote("x" * 5_000_000)) < 100
    quote("\ud800").encode()


def test_a_violation_must_name_its_finding() -> None:
    """A check cannot blame a target without one of the known words."""
    assert Violation("lost: everything").finding in KINDS
    with pytest.raises(ValueError, match="begins with one of"):
        Violation("something is odd")


@pytest.mark.parametrize(
    ("found", "end"),
    [("cd", "newest"), ("ab", "oldest"), ("bc", None), ("abcd", None), ("", None), ("dc", None)],
)
def test_a_history_without_one_end_says_which_is_left(found: str, end: str | None) -> None:
    """So that a limit can be told from a message that somebody overwrote."""
    left = find_remainder("abcd", found)
    assert (left and left.end) == end


def test_a_long_text_is_shown_where_it_differs() -> None:
    """Not by a beginning and an end that are the same."""
    long = "a" * 400
    before, after = quote_pair(f"{long}b{long}", f"{long}c{long}")
    assert before != after
    assert "ab" in before
    assert "ac" in after
    assert "801 long, from character 381" in before


def test_long_lists_are_shown_from_where_they_differ() -> None:
    """The rest is counted."""
    said = [f"m{n}" for n in range(40)]
    wanted, got = quote_lists(said, [*said[:20], *said[21:]])
    assert wanted.startswith("(19 as expected, then) ['m19', 'm20', 'm21'")
    assert got.startswith("(19 as expected, then) ['m19', 'm21', 'm22'")


class Unshowable:
    """An object of a stranger."""

    def __repr__(self) -> str:
        raise RuntimeError("no form")


def test_an_object_that_cannot_be_shown_is_named() -> None:
    """The finding is told all the same."""
    with pytest.raises(Violation, match="Unshowable that cannot be shown: RuntimeError"):
        expect_contents([Unshowable()], [], session="s")

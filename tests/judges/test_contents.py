"""What was shown and never written there: phantom, leaked, corrupted, duplicated, wrong."""

import pytest

from goldfish.history import Call
from goldfish.judges import judge
from tests.judges.verdicts import findings, kinds

REJECTED = {
    "a message that nobody wrote": ("phantom", "0-1 p s add a\n2-3 p s read: a ghost"),
    "a message before its add began": ("phantom", "0-1 p s read: a\n2-3 p s add a"),
    "a message of another session": ("leaked", "0-1 p t add b\n2-3 p s read: b"),
    "a message that was damaged": ("corrupted", "0-1 p s add [a]1\n2-3 p s read: [a]2"),
    "a message twice": ("duplicated", "0-1 p s add a b\n2-3 p s read: a b a"),
    "a retried message twice": ("duplicated", "0-1 p s add a ?\n2-3 p s add a\n4-5 p s read: a a"),
    "more than was asked for": ("wrong", "0-1 p s add a b\n2-3 p s last 1: a b"),
    "some where none was asked for": ("wrong", "0-1 p s add a\n2-3 p s last 0: a"),
}
ACCEPTED = {
    "what was written": "0-1 p s add a\n2-3 p s read: a",
    "a message while its add is under way": "0-3 p s add a\n1-2 q s read: a",
    "a message at the moment at which its add begins": "0-1 p s read: a\n1-2 q s add a",
    "the same names in another session": "0-1 p t add [b]1\n0-1 p s add [a]1\n2-3 p s read: [a]1",
    "a message whose add got no answer": "0-1 p s add a ?\n2-3 p s read: a",
    "a retried message once": "0-1 p s add a ?\n2-3 p s add a\n4-5 p s read: a",
    "as many as were asked for": "0-1 p s add a b\n2-3 p s last 1: b",
    "nothing where nothing was asked for": "0-1 p s add a\n2-3 p s last 0:",
}


@pytest.mark.parametrize("case", REJECTED)
def test_what_was_never_written_there_is_found(case: str) -> None:
    """A read may show only what was written to its session, as it was written, and once."""
    kind, text = REJECTED[case]
    assert kinds(text) == [kind]


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_was_written_is_accepted(case: str) -> None:
    """Nothing is said about a read that shows what was, or may have been, written."""
    assert kinds(ACCEPTED[case]) == []


def test_a_leak_names_both_sessions() -> None:
    """The evidence of a leak is the add in the one session and the read in the other."""
    (leak,) = findings("0-1 p t add b\n2-3 p s read: b")
    assert (leak.session, leak.elements) == ("s", ("b",))
    assert [(call.session, call.action) for call in leak.calls] == [("t", "add"), ("s", "read")]


def test_a_damaged_message_is_not_also_lost() -> None:
    """A damaged message stands for the one it was: it is corrupted, and nothing is missing."""
    judgement = judge(
        [
            Call("p", "s", "add", ("[a] one", "[b] two"), None, 0, 1),
            Call("p", "s", "read", None, ("[a] one", "[b] tw"), 2, 3),
        ]
    )
    assert [finding.kind for finding in judgement.findings] == ["corrupted"]
    assert judgement.lost == 0


def test_contents_that_are_lists_of_parts_are_told_apart() -> None:
    """Contents that cannot be hashed are compared by value, whatever the order of their keys."""
    part, same = [{"type": "text", "text": "hi"}], [{"text": "hi", "type": "text"}]
    add = Call("p", "s", "add", (part, "b"), None, 0, 1)
    assert judge([add, Call("p", "s", "read", None, (same, "b"), 2, 3)]).findings == ()
    (lost,) = judge([add, Call("p", "s", "read", None, ("b",), 2, 3)]).findings
    assert (lost.kind, lost.elements) == ("lost", (part,))


def test_a_read_may_show_parts_where_only_texts_were_written() -> None:
    """A content of another type than any that was written is a phantom, not a crash."""
    calls = [
        Call("p", "s", "add", ("a",), None, 0, 1),
        Call("p", "s", "read", None, ("a", [{"x": 1}]), 2, 3),
    ]
    assert [finding.kind for finding in judge(calls).findings] == ["phantom"]

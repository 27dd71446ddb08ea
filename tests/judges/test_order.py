"""What was shown in pieces or in the wrong order: torn, reordered."""

import pytest

from tests.judges.verdicts import findings, kinds

REJECTED = {
    "a part of a batch, then all": ("torn", "0-9 p s add a b\n1-2 q s read: a\n3-4 q s read: a b"),
    "the end of a batch, then all": (
        "torn",
        "0-9 p s add a b\n1-2 q s read: b\n3-4 q s read: a b",
    ),
    "a part of a batch whose add got no answer": ("torn", "0-1 p s add a b ?\n2-3 q s read: a"),
    "a part of a batch whose add failed": ("torn", "0-1 p s add a b !\n2-3 q s read: b"),
    "a batch with another in between": (
        "torn",
        "0-9 p s add a b\n0-9 q s add c\n10-11 q s read: a c b",
    ),
    "the last ones end within a batch": ("torn", "0-9 p s add a b\n1-2 q s last 1: a"),
    "a batch from its middle, where no trim left so many": (
        "torn",
        "0-9 p s add a b c\n1-2 q s trim 2\n3-4 q s read: c",
    ),
    "a batch in another order": ("reordered", "0-1 p s add a b\n2-3 q s read: b a"),
    "a later add first": ("reordered", "0-1 p s add a\n2-3 p s add b\n4-5 q s read: b a"),
    "two reads show two orders": (
        "reordered",
        "0-9 p s add a\n0-9 q s add b\n10-11 q s read: a b\n12-13 q s read: b a",
    ),
    "two reads at the same time begin with another message": (
        "reordered",
        "0-9 p s add a\n0-9 q s add b\n1-8 x s read: a\n1-8 y s read: b",
    ),
    "a message appears before one that was shown": (
        "reordered",
        "0-9 p s add a\n0-9 q s add b\n1-8 x s read: b\n1-8 y s read: a b",
    ),
    "three reads go round in a circle": (
        "reordered",
        "0-9 p s add a\n0-9 q s add b\n0-9 r s add c\n0-9 x s clear ?\n"
        "1-8 u s read: a b\n1-8 v s read: b c\n1-8 w s read: c a",
    ),
    "the second was shown before the first was added": (
        "reordered",
        "0-9 p s clear ?\n0-9 p s add b ?\n1-2 q s read: b\n3-4 p s add a\n5-6 q s read: a b",
    ),
}
ACCEPTED = {
    "adds at the same time in either order": (
        "0-9 p s add a\n0-9 q s add b\n10-11 q s read: b a\n12-13 q s read: b a"
    ),
    "an add that ends as the next begins": "0-1 p s add a\n1-2 q s add b\n3-4 q s read: b a",
    "a batch cut by the limit of the read": "0-1 p s add a b\n2-3 q s last 1: b",
    "a batch cut by a trim": "0-1 p s add a b\n2-3 p s trim 1\n4-5 q s read: b",
    "a batch cut by a trim without an answer": "0-1 p s add a b\n2-3 p s trim 1 ?\n4-5 q s read: b",
    "a batch that is all or nothing": "0-9 p s add a b\n1-2 q s read:\n3-4 q s read: a b",
    "one that was added again after a clear": (
        "0-1 p s add a b\n2-3 p s clear\n4-5 p s add b\n6-7 p s add a\n8-9 q s read: b a"
    ),
}


@pytest.mark.parametrize("case", REJECTED)
def test_there_is_one_order_and_batches_are_whole(case: str) -> None:
    """All reads show one order, in which adds follow each other and batches are in one piece."""
    kind, text = REJECTED[case]
    assert kinds(text) == [kind]


@pytest.mark.parametrize("case", ACCEPTED)
def test_any_order_that_time_allows_is_accepted(case: str) -> None:
    """What happened at the same time may be shown in either order, and trims may cut a batch."""
    assert kinds(ACCEPTED[case]) == []


def test_what_is_lost_is_not_also_torn_or_reordered() -> None:
    """A missing message explains a broken batch and new neighbours: only the loss is reported."""
    history = """
        0-1 p s add a b c
        2-3 p s add d
        4-5 q s read: a b c d
        6-7 q s read: a c d
    """
    (lost,) = findings(history)
    assert (lost.kind, lost.elements) == ("lost", ("b",))


def test_two_orders_are_shown_by_two_reads() -> None:
    """Where reads disagree, the evidence has one of either."""
    history = "0-9 p s add a\n0-9 q s add b\n10-11 q s read: a b\n12-13 q s read: b a"
    (reordered,) = findings(history)
    assert [call.result for call in reordered.calls if call.action == "read"] == [
        ("a", "b"),
        ("b", "a"),
    ]

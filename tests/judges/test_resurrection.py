"""What was shown though it had been removed: resurrected."""

import pytest

from tests.judges.verdicts import findings, kinds

REJECTED = {
    "it was cleared": "0-1 p s add a\n2-3 p s clear\n4-5 q s read: a",
    "the trim kept too many": ("0-1 p s add a\n2-3 p s add b\n4-5 p s trim 1\n6-7 q s read: a b"),
    "the last ones go behind the clear": (
        "0-1 p s add a\n2-3 p s clear\n4-5 p s add b\n6-7 q s last 2: a b"
    ),
    "a read showed that it was gone": (
        "0-1 p s add a\n2-3 p s clear ?\n4-5 q s read:\n6-7 q s read: a"
    ),
    "a read showed that it was trimmed": (
        "0-1 p s add a\n2-3 p s add b\n4-5 p s trim 1 ?\n6-7 q s read: b\n8-9 q s read: a b"
    ),
    "one that shows more of the end shows more of the beginning": (
        "0-1 p s add a\n2-3 p s add b\n3.1-9 p s trim 1\n4-9 p s add c\n"
        "4-9 q s read: b\n4-9 r s read: a b c"
    ),
}
ACCEPTED = {
    "the clear is not over": "0-1 p s add a\n2-5 p s clear\n3-4 q s read: a",
    "the clear ends as the read begins": "0-1 p s add a\n2-3 p s clear\n3-4 q s read: a",
    "the clear got no answer": "0-1 p s add a\n2-3 p s clear ?\n4-5 q s read: a",
    "the clear failed": "0-1 p s add a\n2-3 p s clear !\n4-5 q s read: a",
    "the add was under way when it was cleared": "0-3 p s add a\n1-2 q s clear\n4-5 q s read: a",
    "the add got no answer": "0-1 p s add a ?\n2-3 p s clear\n4-5 q s read: a",
    "the trim keeps it": "0-1 p s add a b\n4-5 p s trim 2\n6-7 q s read: a b",
    "reads at the same time saw the trim before and after": (
        "0-1 p s add a\n2-3 p s add b\n4-9 p s trim 1\n5-8 q s read: b\n5-8 r s read: a b"
    ),
    "an earlier one of two whole reads shows more": (
        "0-1 p s add a\n2-3 q s read: a\n4-9 p s clear\n5-6 q s read: a\n7-8 q s read:"
    ),
    "it was added again": ("0-1 p s add a\n2-3 p s clear\n4-5 p s add a\n6-7 q s read: a"),
}


@pytest.mark.parametrize("case", REJECTED)
def test_what_was_removed_does_not_come_back(case: str) -> None:
    """After a removal is over, or was seen, no read shows what it removed."""
    assert kinds(REJECTED[case]) == ["resurrected"]


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_may_not_be_removed_yet_may_be_shown(case: str) -> None:
    """Nothing is said while the removal may not have happened, or the add may have come later."""
    assert kinds(ACCEPTED[case]) == []


def test_the_evidence_is_the_add_the_removal_and_the_read() -> None:
    """What came back is shown by its add, the removal, and the read that shows it."""
    (back,) = findings("0-1 p s add a\n2-3 p s clear\n4-5 q s read: a")
    assert [call.action for call in back.calls] == ["add", "clear", "read"]
    assert back.elements == ("a",)


def test_a_read_that_missed_something_does_not_make_it_come_back() -> None:
    """Where nothing can have removed it, the read without the message is to blame, not the next."""
    history = "0-1 p s clear\n2-3 p s add a\n4-5 q s read:\n6-7 q s read: a"
    assert kinds(history) == ["stale"]

"""What was there and was not shown: lost, stale."""

import pytest

from goldfish.history.notation import parse_history
from goldfish.judges import judge
from tests.judges.verdicts import findings, kinds

REJECTED = {
    "an acknowledged message is gone": ("lost", "0-1 p s add a b\n2-3 q s read: a"),
    "everything is gone": ("lost", "0-1 p s add a\n2-3 q s read:"),
    "the first one is gone and nothing was removed": (
        "lost",
        "0-1 p s add a\n2-3 p s add b\n4-5 q s read: b",
    ),
    "what was shown is gone, though its add got no answer": (
        "lost",
        "0-1 p s add a ?\n2-3 q s read: a\n4-5 q s read:",
    ),
    "what was shown is gone, though its add failed": (
        "lost",
        "0-1 p s add a !\n2-3 q s read: a\n4-5 q s read:",
    ),
    "it is older than one that a read shows": (
        "lost",
        "0-1 p s add a\n2-3 p s add b\n0-4 q s read: b",
    ),
    "it was added after the clear": (
        "lost",
        "0-1 p s clear\n2-3 p s add a\n4-5 q s read:",
    ),
    "it was shown after the clear": (
        "lost",
        "0-1 p s clear\n0-2 q s add a\n3-4 q s read: a\n5-6 q s read:",
    ),
    "the trim leaves as many as it keeps": (
        "lost",
        "0-1 p s add a\n2-3 p s add b\n4-5 p s trim 1\n6-7 q s read:",
    ),
    "the trim took one too many": (
        "lost",
        "0-1 p s add a b c\n4-5 p s trim 2\n6-7 q s read: c",
    ),
    "what is newer than the oldest was not removed": (
        "lost",
        "0-1 p s add a\n2-3 p s add b\n4-9 p s trim 1 ?\n6-7 q s read: a",
    ),
    "a trim is under way, and the one before it is still there": (
        "lost",
        "0-9 p s add a\n0-9 q s add b\n0-99 r s trim 1 ?\n0-20 p s read: a b\n"
        "11-12 q s add c\n21-22 q s read: a c",
    ),
    "the last ones lack the last": (
        "lost",
        "0-1 p s add a\n2-3 p s add b\n4-5 q s last 1: a",
    ),
    "fewer came than were asked for": (
        "lost",
        "0-1 p s add a\n2-3 p s add b\n4-5 q s last 3: b",
    ),
    "one reader has it, the next one not, the third again": (
        "stale",
        "0-1 p s add a\n2-3 q s read:\n4-5 q s read: a",
    ),
    "a read goes back behind an earlier one": (
        "stale",
        "0-9 p s add a\n1-2 q s read: a\n3-4 q s read:\n5-6 q s read: a",
    ),
    "a retried message that was acknowledged once": (
        "lost",
        "0-1 p s add a ?\n2-3 p s add a\n4-5 p s read:",
    ),
}
ACCEPTED = {
    "the add is not over": "0-3 p s add a\n1-2 q s read:",
    "the add ends as the read begins": "0-1 p s add a\n1-2 q s read:",
    "the add got no answer": "0-1 p s add a ?\n2-3 q s read:\n4-5 q s read: a",
    "the add failed": "0-1 p s add a !\n2-3 q s read:",
    "it was cleared": "0-1 p s add a\n2-3 p s clear\n4-5 q s read:",
    "a clear that got no answer may have happened late": (
        "0-1 p s clear ?\n2-3 p s add a\n4-5 q s read: a\n6-7 q s read:"
    ),
    "a clear that failed may have happened": "0-1 p s add a\n2-3 p s clear !\n4-5 q s read:",
    "the add and the clear were at the same time": "0-2 p s add a\n1-3 q s clear\n4-5 q s read:",
    "it was trimmed": "0-1 p s add a\n2-3 p s add b\n4-5 p s trim 1\n6-7 q s read: b",
    "the trim came after the next add": (
        "0-1 p s add a\n2-5 p s add b c\n3-4 q s trim 2\n6-7 q s read: b c"
    ),
    "only the last ones were asked for": "0-1 p s add a\n2-3 p s add b\n4-5 q s last 1: b",
    "there are fewer than were asked for": "0-1 p s add a\n2-3 q s last 3: a",
    "the read failed": "0-1 p s add a\n2-3 q s read ?",
    "a retried message that was cleared in between": (
        "0-1 p s add a\n2-3 p s clear\n4-5 p s read:\n6-7 p s add a\n8-9 p s read: a"
    ),
}


@pytest.mark.parametrize("case", REJECTED)
def test_what_had_to_be_shown_is_missed(case: str) -> None:
    """An acknowledged message is due in every read that begins later, until it is removed."""
    kind, text = REJECTED[case]
    assert kinds(text) == [kind]


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_need_not_be_shown_is_not_missed(case: str) -> None:
    """A read need not show what may not have been there, or may have been removed."""
    assert kinds(ACCEPTED[case]) == []


def test_all_that_is_lost_is_counted() -> None:
    """The count of the lost is complete, however few findings are reported."""
    adds = "\n".join(f"{i}-{i}.5 p s add m{i}" for i in range(100))
    judgement = judge(parse_history(f"{adds}\n200-201 q s read: m0\n202-203 q s read: m0"))
    assert (judgement.acknowledged, judgement.lost, judgement.loss_rate) == (100, 99, 0.99)
    assert len(judgement.findings[0].elements) == 99


def test_a_trim_too_far_loses_only_what_it_had_to_keep() -> None:
    """Of what a trim took, only the messages that it had to keep are lost."""
    judgement = judge(parse_history("0-1 p s add a b c d\n4-5 p s trim 2\n6-7 q s read: d"))
    assert (judgement.lost, judgement.findings[0].elements) == (1, ("c",))


def test_what_an_unanswered_add_lost_is_not_counted_as_acknowledged() -> None:
    """The loss rate is a share of the acknowledged messages, so others are not in it."""
    judgement = judge(parse_history("0-1 p s add a ?\n2-3 q s read: a\n4-5 q s read:"))
    assert [finding.kind for finding in judgement.findings] == ["lost"]
    assert (judgement.acknowledged, judgement.lost, judgement.loss_rate) == (0, 0, 0.0)


def test_the_evidence_is_the_add_and_the_first_read_that_misses() -> None:
    """A loss is shown by the add and by the first read without the message."""
    (lost,) = findings("0-1 p s add a\n2-3 q s read:\n4-5 q s read:")
    assert [(call.action, call.start) for call in lost.calls] == [("add", 0.0), ("read", 2.0)]


def test_what_was_shown_before_it_was_acknowledged_is_told_so() -> None:
    """A reader saw it, a later one did not, and its writer was told only afterwards."""
    history = "0-10 p s add a\n1-2 q s read: a\n3-4 q s read:\n11-12 q s read: a"
    (finding,) = judge(parse_history(history)).findings
    told = "'a' was read, but a later read does not return it; one after that does"
    assert (finding.kind, finding.summary) == ("stale", told)


def test_an_ancient_answer_after_a_clear_does_not_lose_what_was_cleared() -> None:
    """Where a read shows what was removed long ago, what was removed since is not lost."""
    history = """
        0-1 p s add a
        2-3 p s clear
        4-5 p s add b
        6-7 p s clear
        8-9 q s read: a
        10-11 q s read:
    """
    judgement = judge(parse_history(history))
    assert [finding.kind for finding in judgement.findings] == ["resurrected"]
    assert judgement.lost == 0

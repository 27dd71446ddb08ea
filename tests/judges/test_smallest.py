"""The smallest part of a history in which a finding can still be seen."""

import random

import pytest

from bench.judges import Mix, simulated
from goldfish.history import FAULT, Call
from goldfish.history.notation import parse_history, render_history
from goldfish.judges import judge
from goldfish.judges.smallest import find_smallest
from tests.judges.damage import DAMAGES, Damage, anything
from tests.judges.linearizability import linearizable
from tests.judges.test_correct_stores import read_to_the_end

ANSWERS = {"refused", "wedged"}


def _kinds(calls: list[Call]) -> set[str]:
    return {finding.kind for finding in judge(calls).findings}


def _shrunk(text: str) -> list[Call]:
    history = parse_history(text)
    return find_smallest(history, judge(history).findings[0])


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_it_shows_the_same_and_can_be_followed(damage: Damage) -> None:
    """A few calls are left of a hundred, and the judge finds the same kind in them."""
    choice = random.Random(damage.__name__)
    mix = Mix(calls=100, removals=0.0, last=0.0, uncertain=0.0)
    for _ in range(10):
        calls = damage(choice, read_to_the_end(simulated(choice, "s", mix)))
        finding = judge(calls).findings[0]
        few = find_smallest(calls, finding)
        assert len(few) <= 6
        assert finding.kind in _kinds(few)


def test_what_is_left_cannot_be_explained_either() -> None:
    """What is left is no history of a correct store: nothing was left out that explains it."""
    choice = random.Random(11)
    mix = Mix(calls=8, removals=0.2, last=0.2, uncertain=0.1, most_kept=3)
    shrunk = 0
    for _ in range(1000):
        calls = anything(choice, simulated(choice, "s", mix))
        for finding in judge(calls).findings:
            if finding.kind not in ANSWERS:
                few = find_smallest(calls, finding)
                assert not linearizable(few), list(render_history(few))
                shrunk += len(few) < len(calls)
    assert shrunk > 300


def test_only_what_matters_is_left_of_the_calls_and_of_the_reads() -> None:
    """Other messages are left out of the reads too."""
    few = _shrunk(
        """
        0-1 p s add a b
        2-3 p s add c
        4-5 p s read: a b c
        6-7 p s add d
        8-9 q s read: a b d
        """
    )
    assert [(call.value, call.result) for call in few] == [(("c",), None), (None, ())]


def test_a_removal_that_may_explain_something_is_kept() -> None:
    """A clear that was under way stays, even if it explains nothing; one after the read goes."""
    few = _shrunk("0-1 p s add a\n2-9 p s clear\n3-4 q s add b\n5-6 q s read: a\n10-11 p s clear")
    assert [(call.action, call.end) for call in few] == [
        ("add", 1.0),
        ("add", 4.0),
        ("read", 6.0),
        ("clear", 9.0),
    ]


def test_messages_that_a_trim_counts_are_kept() -> None:
    """Where a trim has to keep so many, the messages that it counts stay."""
    few = _shrunk("0-1 p s add z\n2-3 p s add a b c\n4-5 p s trim 2\n6-7 q s read: c")
    assert [call.value for call in few] == [("a", "b", "c"), 2, None]


def test_a_leak_keeps_the_add_of_the_other_session() -> None:
    """Of a leak the add there and the read here are left."""
    few = _shrunk("0-1 p s add a\n0-1 p t add b c\n2-3 p t add d\n4-5 p s read: a b")
    assert [(call.session, call.action) for call in few] == [("t", "add"), ("s", "read")]


def test_faults_that_were_under_way_are_kept() -> None:
    """What was done to the world meanwhile belongs to the story; the rest does not."""
    few = _shrunk("0-1 p s add a\n2-3 fault kill p\n4-5 fault thaw q\n4-5 p s read:")
    assert [call.value for call in few if call.action == FAULT] == ["thaw q"]


def test_a_long_history_becomes_short() -> None:
    """Of ten thousand calls with trims and clears a handful is left."""
    choice = random.Random(3)
    mix = Mix(calls=10_000, removals=0.02, last=0.2, uncertain=0.0, most_kept=30)
    calls = simulated(choice, "s", mix)
    clear = Call("late", "s", "clear", None, None, 1e6, 1e6 + 1)
    add = Call("late", "s", "add", ("x", "y"), None, 1e6 + 2, 1e6 + 3)
    read = Call("late", "s", "read", None, ("y",), 1e6 + 4, 1e6 + 5)
    calls += [clear, add, read]
    assert find_smallest(calls, judge(calls).findings[0]) == [add, read]

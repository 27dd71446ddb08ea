"""Calls that are kept as numbers come back as they were."""

from random import Random

import pytest

from bench.judges import Mix, simulated
from goldfish.history import FAULT, Call, History
from goldfish.history.packed import PackedCalls, is_unusual

ODD = [
    Call("p", "s", "add", ("a", 1), None, 0.0, 1.0),
    Call("p", "s", "add", (), None, 0.0, 1.0, place="pod 1"),
    Call("p", "s", "read", True, (), 0.0, 1.0),
    Call("p", "s", "read", 1, ("a",), 0.0, 1.0),
    Call("p", "s", "trim", 2.0, None, 0.0, 1.0),
    Call("p", "t", "save", ("a",), ("b",), 0.0, 1.0),
    Call("p", "t", "read", None, None, 0.0, 1.0, "unknown", timed_out=True),
    Call("p", "t", "read", None, None, 0, 1, "ok", "late"),
    Call(FAULT, "", FAULT, "kill", None, 0.0, 1.0),
    Call(FAULT, "", FAULT, None, None, 0.0, 1.0),
]


def pack(calls: list[Call]) -> PackedCalls:
    packed = PackedCalls()
    for call in calls:
        packed.append(call)
    return packed


def make_calls() -> list[Call]:
    choice = Random(5)
    calls = [call for name in "abc" for call in simulated(choice, name, Mix(calls=40))]
    return [*sorted(calls, key=lambda call: call.end), *ODD]


def test_a_call_comes_back_exactly() -> None:
    """Not as something equal: True is not 1, and 2.0 is not 2."""
    calls = make_calls()
    assert list(map(repr, pack(calls))) == list(map(repr, calls))


def test_packed_calls_are_a_sequence_that_equals_a_list() -> None:
    """By place, by slice, and compared from either side."""
    calls = make_calls()
    packed = pack(calls)
    assert (packed[3], packed[-1], packed[5:9]) == (calls[3], calls[-1], calls[5:9])
    assert packed == calls
    assert calls == packed
    assert packed != calls[1:]
    assert packed != 1
    with pytest.raises(IndexError):
        packed[len(calls)]


def test_calls_are_found_by_session_and_by_what_became_of_them() -> None:
    """In their order, as in a list."""
    calls = make_calls()
    packed = pack(calls)
    groups = packed.group_by_session()
    assert list(groups) == list(dict.fromkeys(call.session for call in calls))
    assert len(groups) == 6
    for name, of_session in groups.items():
        assert of_session == [call for call in calls if call.session == name]
    assert packed.select_unusual() == [call for call in calls if is_unusual(call)]
    chosen = {"b", "t", "unheard of"}
    assert History(packed).select(chosen) == History(calls).select(chosen)

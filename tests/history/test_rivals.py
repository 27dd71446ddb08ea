"""The rival of a call: what is likeliest to have undone it."""

from goldfish.history import Call
from goldfish.history.rivals import find_rival


def test_a_removal_at_the_same_time_is_the_rival_before_a_write() -> None:
    """Writes that undo each other do so where nobody removes anything, and are told of by that."""
    victim = Call("w2", "ann", "add", ("b",), None, 4.8, 8.6)
    trim = Call("w6", "ann", "trim", 2, 2, 5.4, 9.8)
    write = Call("w4", "ann", "add", ("d",), None, 8.5, 12.0)
    later = Call("w5", "ann", "clear", None, None, 9.0, 9.5)
    read = Call("w1", "ann", "read", None, ("a", "d"), 12.1, 12.9)
    assert find_rival([write, trim, later], victim, read) == trim
    assert find_rival([later, write], victim, read) == write  # a removal that came after is none
    assert find_rival([later], victim, read) == later

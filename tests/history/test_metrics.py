"""What the calls of a check show beside its verdict."""

from goldfish.history import FAULT, Call
from goldfish.history.metrics import measure

FAULTY = Call(FAULT, "", FAULT, "kill pod1", None, 3.0, 4.0)


def add(number: int, start: float, end: float, *contents: str) -> Call:
    """An add of a workload, by a caller of its own."""
    return Call(f"w{number}", "s", "add", contents, None, start, end, "ok", "", "pod1")


def read(start: float, *contents: str) -> Call:
    """A read of the whole session."""
    return Call("end", "s", "read", None, contents, start, start + 0.1, "ok", "", "pod2")


def test_loss_is_counted_by_how_many_other_writes_were_under_way() -> None:
    """What was written alone is kept apart from what was written in a crowd."""
    calls = [add(1, 0, 1, "a"), add(1, 2, 3, "b"), add(2, 2.5, 4, "c", "d"), read(5, "a", "c")]
    found = measure(calls)
    assert found is not None
    assert found.crowd == ((0, 1, 0), (1, 3, 2))


def test_where_nothing_is_lost_or_something_is_removed_no_loss_is_drawn() -> None:
    """A cleared message is not lost, and no loss needs no plot."""
    clear = Call("w1", "s", "clear", None, None, 2.0, 3.0, "ok", "", "pod1")
    assert measure([add(1, 0, 1, "a"), clear, read(5)]) is None
    assert measure([add(1, 0, 1, "a"), read(5, "a")]) is None


def test_cost_is_told_by_how_much_was_there() -> None:
    """Adds one after the other show what a longer history costs."""
    ten = [f"m{number}" for number in range(10)]
    calls = [add(1, n, n + 0.01 * (n + 1), *ten) for n in range(20)]
    found = measure(calls)
    assert found is not None
    assert found.growth[0] == (0, 0.001)
    assert found.growth[-1] == (190, 0.02)
    assert measure(calls[:5]) is None


def test_adds_at_the_same_moment_tell_nothing_about_cost() -> None:
    """A call that waited for another is not slow because of the history."""
    assert measure([add(n, 0, 1, "a") for n in range(20)]) is None


def test_pace_is_told_only_where_there_was_a_fault_and_is_not_endless() -> None:
    """Times count from the first call; of thousands of calls, a hundred and twenty are kept."""
    calls = [add(n, n / 100, n / 100 + 0.5, f"m{n}") for n in range(2_000)]
    assert measure(calls) is None
    found = measure([*calls, FAULTY])
    assert found is not None
    assert len(found.pace) == 120
    assert found.pace[0] == (0.0, 0.5, "ok")
    assert found.faults == ((3.0, 4.0, "kill pod1"),)


def test_contents_of_any_kind_are_no_error() -> None:
    """A history of single calls may hold anything."""
    parts = [{"type": "text", "text": "hello"}]
    calls = [
        Call("here1", "s", "add", [parts], None, 0, 1, "ok", "", "here1"),
        Call("here1", "s", "read", None, [parts], 2, 3, "ok", "", "here1"),
    ]
    assert measure(calls) is None

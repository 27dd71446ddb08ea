"""How a history is summed up: counts, the worst first, and not too many."""

from goldfish.history.notation import parse_history
from goldfish.judges import judge
from goldfish.judges.findings import IN_ALL, PER_KIND


def test_what_became_of_the_acknowledged_is_counted() -> None:
    """Acknowledged messages are confirmed by a read, lost, removed, or never read."""
    history = """
        0-1 p s add a b
        2-3 p s add c ?
        4-5 q s read: a b
        6-7 p s clear
        8-9 p s add d
    """
    judgement = judge(parse_history(history))
    counts = (judgement.acknowledged, judgement.confirmed, judgement.lost, judgement.never_read)
    assert counts == (3, 2, 0, 1)


def test_what_was_cleared_without_a_read_is_told_by_the_clear() -> None:
    """Of a message that was removed as asked, nobody needs to read anything."""
    judgement = judge(parse_history("0-1 p s add a\n2-3 p s clear"))
    assert (judgement.confirmed, judgement.never_read) == (0, 0)


def test_nothing_is_proven_where_nothing_was_read() -> None:
    """Without a read that shows an acknowledged message, nothing is known."""
    assert not judge([]).proven
    assert not judge(parse_history("0-1 p s add a")).proven
    assert not judge(parse_history("0-1 p s add a ?\n2-3 p s read: a")).proven
    assert not judge(parse_history("0-1 p s add a\n2-3 p s clear\n4-5 p s read:")).proven
    assert judge(parse_history("0-1 p s add a\n2-3 p s read: a")).proven


def test_the_worst_comes_first() -> None:
    """The first finding is the headline: what is lost before what is shown too often."""
    judgement = judge(parse_history("0-1 p s add a b\n2-3 p s add c !\n4-5 p s read: b b"))
    assert [each.kind for each in judgement.findings] == ["lost", "duplicated", "refused"]


def test_the_first_few_of_each_kind_are_reported() -> None:
    """Of one kind and session the first few are told, in the order of time."""
    adds = "\n".join(f"{i}-{i}.5 p s add m{i}" for i in range(20))
    reads = "\n".join(f"{30 + i}-{30 + i}.5 p s read: x{i}" for i in range(20))
    phantoms = [
        each for each in judge(parse_history(f"{adds}\n{reads}")).findings if each.kind != "lost"
    ]
    assert [each.elements for each in phantoms] == [("x0",), ("x1",), ("x2",)]
    assert len(phantoms) == PER_KIND


def test_many_sessions_do_not_crowd_out_a_kind() -> None:
    """However many messages are lost, each kind that was found is among what is told."""
    lost = "\n".join(f"0-1 p s{i} add a{i}\n2-3 p s{i} read:" for i in range(50))
    judgement = judge(parse_history(f"{lost}\n0-1 p t add b\n2-3 p t read: b b"))
    assert len(judgement.findings) == IN_ALL
    assert {each.kind for each in judgement.findings} == {"lost", "duplicated"}
    assert judgement.lost == 50


def test_sessions_are_judged_apart() -> None:
    """What happens in one session says nothing about another."""
    history = "0-1 p s add a\n2-3 p t clear\n4-5 p s read: a\n4-5 p t read:"
    assert judge(parse_history(history)).findings == ()

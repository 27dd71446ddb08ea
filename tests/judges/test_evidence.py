"""Findings drawn for people."""

import json

from goldfish.history import History
from goldfish.history.lines import parse_lines
from goldfish.history.model import spell_out_call
from goldfish.history.notation import parse_history
from goldfish.judges import judge
from goldfish.judges.evidence import draw_proof


def lines_of(notes: str) -> tuple[str, list[str]]:
    history = parse_history(notes)
    proof = draw_proof(history, judge(history).findings[0])
    loaded = load_again(history)
    assert draw_proof(loaded, judge(loaded).findings[0]) == proof
    finding, (_, *lines) = proof
    return finding.summary, lines


def load_again(history: History) -> History:
    """Return the history as a file gives it, whose calls are made whenever they are asked for."""
    return History(parse_lines(json.dumps(spell_out_call(call)) for call in history.calls))


def test_only_the_calls_that_prove_it_are_shown_and_gaps_say_so() -> None:
    """Of many calls two are left; what the read showed besides is a gap."""
    summary, lines = lines_of("""
        0-1 w1 s add a
        0-1 w2 other add x
        2-3 w2 s add b
        4-5 w3 s add c
        5-6 w2 other read: x
        6-7 w1 s read: a c
    """)
    assert "'b'" in summary
    assert [line.split(" s ")[1] for line in lines] == ["add b", "read: …"]


def test_faults_between_the_calls_are_shown_but_not_a_storm() -> None:
    """The last three will do."""
    storm = "\n".join(f"{n}-{n}.5 fault kill pod{n}" for n in range(2, 9))
    _, lines = lines_of(f"0-1 w1 s add a\n{storm}\n10-11 w1 s read:")
    assert [line.split()[-1] for line in lines if "kill" in line] == ["pod6", "pod7", "pod8"]


def test_a_refusal_is_shown_among_its_neighbours() -> None:
    """Calls of the same session at the same moment may be why."""
    _, lines = lines_of("""
        0-1 w1 s add early
        2-5 w1 s add a !
        3-4 w2 s add b
        3-4 w2 other add c
    """)
    assert [line.split(" s ")[1] for line in lines] == ["add a !", "add b"]


def test_a_history_of_one_finding_alone_is_shown_whole() -> None:
    """Nothing is left out that there is not."""
    history = History(parse_history("0-1 w1 s add a\n2-3 w1 s read:").calls)
    finding, (title, *lines) = draw_proof(history, judge(history).findings[0])
    assert title.startswith("milliseconds")
    assert finding.kind == "lost"
    assert len(lines) == 2


def test_a_read_that_fails_after_a_kill_is_shown_with_the_write_that_was_cut_off() -> None:
    """Where nobody else asked at that moment, what came before tells the story."""
    history = parse_history(
        """
        0-1 w1 s add a
        2-3 w2 s add b ?
        2.5-4 fault kill pod2
        5-6 w1 s add c
        7-8 end s read !
        """
    )
    (finding,) = judge(history).findings
    _, lines = draw_proof(history, finding)
    assert [line.split()[1:] for line in lines[1:]] == [
        ["w2", "s", "add", "b", "?"],
        ["fault", "kill", "pod2"],
        ["w1", "s", "add", "c"],
        ["end", "s", "read", "!"],
    ]

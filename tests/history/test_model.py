"""Histories on disk."""

from pathlib import Path

import pytest

from goldfish.errors import HistoryError
from goldfish.history import About, Call, History, find_tag
from goldfish.history.notation import parse_history, render_history
from goldfish.history.storage import load_history

HOSTILE = ("lone \ud800", "NUL \0 and \x1b[31m", "línea\nnueva", "🐠", "")


def test_a_saved_history_comes_back_as_it_was(tmp_path: Path) -> None:
    """Every field of every call returns, whatever the texts."""
    calls = [
        Call("w1", "s", "add", HOSTILE, None, 0.0, 1.5, place="pod1"),
        Call("w1", "s", "read", 2, (), 2.0, 3.0),
        Call("w2", "\ud800", "trim", 0, 3, 2.0, 3.0, "fail", "trim raised", "pod2"),
        Call("fault", "", "fault", "kill pod1", None, 2.0, 2.5, "unknown"),
    ]
    about = About("sqlite", "CON01", 7, judged=False)
    History(calls, about).save(tmp_path / "CON01.jsonl")
    assert load_history(tmp_path / "CON01.jsonl") == History(calls, about)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("not json", "is not a history of goldfish"),
        ('{"schema": 1}', "is not a history of goldfish"),
        ('{"goldfish": 99}', "newer goldfish"),
        ('{"goldfish": 1}\n{"process": "w1"}', "is not a history of goldfish"),
    ],
)
def test_a_file_that_is_no_history_is_refused_in_one_sentence(
    tmp_path: Path, text: str, complaint: str
) -> None:
    """The error names the file and says what to give instead."""
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(HistoryError, match=complaint) as caught:
        load_history(tmp_path / "x.jsonl")
    assert "x.jsonl" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_told() -> None:
    """A missing file is the user's mistake, not a crash."""
    with pytest.raises(HistoryError, match="cannot be read"):
        load_history(Path("nowhere.jsonl"))


def test_the_tag_of_a_message_is_what_stands_in_brackets() -> None:
    """Contents without a tag are their own."""
    assert find_tag("[w1.3a] message 1 of 2") == "w1.3a"
    assert find_tag("plain words") == "plain words"
    assert find_tag(["parts"]) == "['parts']"


NOTES = """
0.0-1.0 p1    s add a b
2.0-3.0 p2    s read: a b
4.0-5.0 p2    s last 1: b
6.0-7.0 p1    s trim 1
6.5-7.5 p1    s clear
8.0-9.0 p1    s add c ?
8.0-9.5 fault kill p1
9.0-9.9 p3    s read !
"""


def test_the_notation_says_all_of_a_history() -> None:
    """What is written in the notation is drawn as the same lines, but for the unit of time."""
    history = parse_history(NOTES)
    seconds = [call._replace(start=call.start / 1e3, end=call.end / 1e3) for call in history.calls]
    assert [line.rstrip() for line in render_history(seconds)] == NOTES.strip().splitlines()


def test_the_notation_tells_actions_values_and_outcomes_apart() -> None:
    """Each kind of line becomes the call it stands for."""
    calls = {(call.action, call.outcome): call for call in parse_history(NOTES).calls}
    assert calls["add", "ok"].value == ("a", "b")
    assert calls["add", "unknown"].value == ("c",)
    assert calls["read", "ok"].result == ("b",)
    assert calls["read", "ok"].value == 1
    assert calls["read", "fail"].result is None
    assert calls["trim", "ok"].value == 1
    assert calls["fault", "ok"].value == "kill p1"


def test_a_line_that_is_no_call_is_refused() -> None:
    """The error shows how to write one."""
    with pytest.raises(HistoryError, match="write it as"):
        parse_history("0-1 p1 s forget everything")

"""Lines that msgspec parses, against what ``parse_call`` reads."""

import json
import sys
from collections.abc import Iterator
from random import Random

import pytest

from bench.judges import Mix, simulated
from goldfish.history import lines
from goldfish.history.lines import parse_lines
from goldfish.history.model import parse_call, spell_out_call

PLAIN = {"process": "p1", "session": "s", "action": "add", "value": ["a"], "start": 1.0, "end": 2.0}


def write(**changes: object) -> str:
    return json.dumps({**PLAIN, **changes})


LINES = [
    write(),
    write(start=1, end=2),
    write(start=1, end=10**17 + 1),
    write(value=["\ud800", "😀", "\x00"]),
    write(value=[1, True, 1.0, "1"]),
    write(value=[[{"type": "text"}], [{"type": "text"}]]),
    write(value=[]),
    write(place="pod 1", mood="blue"),
    write(action="read", value=None, result=["a", "a", "b"]),
    write(action="read", value=5, result=[]),
    write(action="read", value=None, outcome="fail", error="down", timed_out=False),
    write(action="read", value=None, outcome="unknown", timed_out=True),
    write(action="trim", value=10**30),
    write(action="trim", value=2.0),
    write(action="trim", value=True),
    write(action="remember", value="text", result={"id": 1}),
    write(action="read", value=["a"], result=["a"]),
    write(action="clear", value=None, result=["a"]),
    write(action="fault", value=None),
    write(outcome="fail", origin={"error": "ValueError", "message": "x"}),
]
# What reads of one session return, one after the other.
SHOWN: list[list[object]] = [
    [], ["a"], ["a", "b"], ["a", "b"], ["a", "b]"], ["a"], ["a,"], ["b", "c"], ["b", "c", "\\"],
    ["b", "c", "\\", '"'], [], ["a", 1], ["a", 12], ["a", 12, ["x"]], ["a", "", "\ud800"],
    ["a", "", "\ud800", "z"], ["a", ""], ["a", "", "]"],
]  # fmt: skip
FAULTS = [
    "", "[]", "null", "{", write()[:-1], write() + "x",
    write(start=3.0), write(start=None), write(end=float("nan")), write(end=float("inf")),
    write(process=1), write(session=None), write(place=1), write(outcome="maybe"),
    write(value=None), write(value="text"), write(value=3), write(action="read", result=None),
    write(start=-1e999), write(end="1e999").replace('"1e999"', "1e999"),
    write(action="read", result=["a"]).replace('"a"]', '"a",]'),
    write(action="read", result=["a"]).replace('"a"]', r'"a", "\x"]'),
    write(error=None), write(timed_out=0), write(origin=None), write(origin=[]), write(action=None),
    json.dumps({name: value for name, value in PLAIN.items() if name != "process"}),
]  # fmt: skip


@pytest.fixture(params=[True, False], ids=["msgspec", "without"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Parse with msgspec, and as where it is not installed."""
    if not request.param:
        monkeypatch.setitem(sys.modules, "msgspec", None)
    lines._find_decoders.cache_clear()
    yield
    lines._find_decoders.cache_clear()


@pytest.mark.parametrize("line", LINES)
@pytest.mark.usefixtures("parser")
def test_a_line_is_the_call_that_it_spells_out(line: str) -> None:
    """Whatever is in it: 1 stays 1, True stays True, half a character stays one."""
    first, second = parse_lines([line, line])
    assert repr(first) == repr(second) == repr(parse_call(json.loads(line)))


@pytest.mark.parametrize("line", FAULTS)
@pytest.mark.usefixtures("parser")
def test_a_fault_is_told_as_ever(line: str) -> None:
    """The error is the same, among lines that are right."""
    with pytest.raises((ValueError, TypeError, KeyError)) as expected:
        parse_call(json.loads(line))
    with pytest.raises(type(expected.value)) as found:
        parse_lines([write(), write(action="read", value=None, result=["a"]), line])
    assert str(found.value) == str(expected.value)


@pytest.mark.usefixtures("parser")
def test_reads_that_continue_each_other_keep_their_contents() -> None:
    """A read is parsed from where it differs from the last one, in whatever way it does."""
    texts = [write(action="read", value=None, result=shown, place="x") for shown in SHOWN]
    texts += [text.replace(", ", ",") for text in texts]
    assert [call.result for call in parse_lines(texts)] == [tuple(each) for each in SHOWN * 2]


@pytest.mark.usefixtures("parser")
def test_texts_that_are_equal_become_one() -> None:
    """A message that is read a thousand times takes its memory once."""
    calls = simulated(Random(3), "s", Mix(calls=60))
    back = parse_lines(json.dumps(spell_out_call(call)) for call in calls)
    assert back == calls
    texts = [text for call in back for text in (*(call.result or ()), call.session)]
    assert len({id(text) for text in texts}) == len(set(texts))


def test_msgspec_parses_a_plain_line() -> None:
    """So the tests above compare two parsers."""
    decoders = lines._find_decoders()
    assert decoders is not None
    assert decoders[0](write())[:2] == ("p1", "add")

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
    write(outcome="fail", origin={"error": "ValueError", "message": "x"}),
]
FAULTS = [
    "", "[]", "null", "{", write()[:-1], write() + "x",
    write(start=3.0), write(start=None), write(end=float("nan")), write(end=float("inf")),
    write(process=1), write(session=None), write(place=1), write(outcome="maybe"),
    write(value=None), write(value="text"), write(value=3), write(action="read", result=None),
    write(error=None), write(timed_out=0), write(origin=None), write(origin=[]), write(action=None),
    json.dumps({name: value for name, value in PLAIN.items() if name != "process"}),
]  # fmt: skip


@pytest.fixture(params=[True, False], ids=["msgspec", "without"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Parse with msgspec, and as where it is not installed."""
    if not request.param:
        monkeypatch.setitem(sys.modules, "msgspec", None)
    lines._find_decoder.cache_clear()
    yield
    lines._find_decoder.cache_clear()


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
        parse_lines([write(), line])
    assert str(found.value) == str(expected.value)


@pytest.mark.usefixtures("parser")
def test_texts_that_are_equal_become_one() -> None:
    """A message that is read a thousand times takes its memory once."""
    calls = simulated(Random(3), "s", Mix(calls=60))
    back = parse_lines(json.dumps(spell_out_call(call)) for call in calls)
    assert back == calls
    texts = [text for call in back for text in (*(call.result or ()), call.session, call.process)]
    assert len({id(text) for text in texts}) == len(set(texts))


def test_msgspec_parses_a_plain_line() -> None:
    """So the tests above compare two parsers."""
    decode = lines._find_decoder()
    assert decode is not None
    assert decode(write())[:2] == ("p1", "add")

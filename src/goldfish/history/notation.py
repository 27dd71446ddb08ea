"""A small notation for histories, in tests and in evidence: a line for each call.

0-1 p1 s add a b      at 0 process p1 adds a and b to session s; at 1 it is acknowledged
2-3 p2 s read: a b    a read that finds a and b
4-5 p2 s last 1: b    a read of the last message
6-7 p1 s trim 1       keep the last message
6-7 p1 s clear        remove them all
6-7 p1 s save v1      save the session as v1; rollback v1 goes back to it
8-9 p1 s add c ?      no answer came; with ! in place of ?, an error came
8-9 fault kill p1     something the harness did
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from goldfish.errors import HistoryError
from goldfish.history import FAULT, Call, History, Outcome, find_tag

_CALL = re.compile(
    r"(?P<start>[\d.]+)-(?P<end>[\d.]+) (?P<process>\S+) +"
    r"(?P<session>\S+) (?P<action>add|read|last|trim|clear|save|rollback)\b"
    r"(?P<value>[^:]*)(?P<found>:.*)?"
)
_FAULT = re.compile(r"([\d.]+)-([\d.]+) fault +(.+)")
_OUTCOMES: dict[str, Outcome] = {"?": "unknown", "!": "fail"}
_MARKS = {outcome: f" {mark}" for mark, outcome in _OUTCOMES.items()}
HEADING = "milliseconds, who, session, call:"


def parse_history(text: str) -> History:
    """Return the history that the notation describes."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return History(sorted((_parse_line(line) for line in lines if line), key=lambda call: call.end))


def _parse_line(line: str) -> Call:
    if fault := _FAULT.fullmatch(line):
        start, end, what = fault.groups()
        return Call(FAULT, "", FAULT, what, None, float(start), float(end))
    mark = line[-1] if line[-2:-1] == " " and line[-1] in _OUTCOMES else ""
    match = _CALL.fullmatch(line.removesuffix(mark).rstrip())
    if match is None:
        raise HistoryError(f"{line!r} is not a call: write it as '0-1 p1 s add a b'")
    start, end, process, session, action, value, found = match.groups()
    words = tuple(value.split())
    result: Any = None if found is None else tuple(found[1:].split())
    outcome = _OUTCOMES.get(mark, "ok")
    passed: Any = words if action == "add" else next(iter(words), None)
    passed = int(words[0]) if action in {"last", "trim"} else passed
    action = "read" if action == "last" else action
    return Call(process, session, action, passed, result, float(start), float(end), outcome)


def draw_history(calls: Iterable[Call]) -> list[str]:
    """Return the calls in the notation, under a heading, as evidence shows them."""
    return [HEADING, *render_history(calls)]


def render_history(calls: Iterable[Call]) -> Iterator[str]:
    """Yield the calls in the notation, by start, with milliseconds from the first one."""
    ordered = sorted(calls, key=lambda call: (call.start, call.end))
    origin = ordered[0].start if ordered else 0.0
    rows = [(_render_times(call, origin), call.process, _render_call(call)) for call in ordered]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for times, process, text in rows:
        yield f"{times:>{widths[0]}} {process:<{widths[1]}} {text}"


def _render_times(call: Call, origin: float) -> str:
    return "-".join(f"{(moment - origin) * 1000:.1f}" for moment in (call.start, call.end))


def _render_call(call: Call) -> str:
    if call.action == FAULT:
        return str(call.value)
    text = f"{call.session} {call.action}"
    if call.action == "add":
        text += " " + " ".join(map(find_tag, call.value))
    elif call.value is not None:
        name = "last" if call.action == "read" else call.action
        text = f"{call.session} {name} {call.value}"
    if call.action == "read" and call.outcome == "ok":
        text += ": " + " ".join(map(find_tag, call.result))
    return text + _MARKS.get(call.outcome, "")

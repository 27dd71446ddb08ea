"""A finding as a test: a plain pytest file that asks the memory the same again."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from goldfish.errors import HistoryError
from goldfish.history import FAULT, Call, History, tag
from goldfish.judges import Finding, judge
from goldfish.judges.smallest import smallest
from goldfish.notation import drawn
from goldfish.reliving import can_be_repeated

WRITES = {"add", "trim", "clear", "save", "rollback"}
COMPANY = 12  # writes beside those that show the finding
FAULTS = 3
_PLAIN = re.compile(r"[\w.-]+")
_HEAD = '''"""What broke once, asked again; `goldfish replay --as-test` wrote this file."""

from goldfish.testing import relive
'''
_TEST = '''

{name} = """
{calls}
"""


def test_{function}() -> None:
    """{promise}"""
    relive({target}, {name}, pods={pods})
'''


def as_tests(histories: Iterable[History], target: str | None) -> str:
    """The text of a test file: a test for each history in which something is broken."""
    tests = [test for history in histories for test in _tests(history, target)]
    if not tests:
        raise HistoryError("nothing in this run is broken, so there is nothing to test")
    return _HEAD + "".join(tests)


def _tests(history: History, target: str | None) -> Iterator[str]:
    for finding in judge(history).findings[:1]:
        about, calls = history.about, scene(history, finding)
        code = about.code or "history"
        places = {call.place for call in calls if call.place}
        yield _TEST.format(
            name=f"{_identifier(code).upper()}_HISTORY",
            function=_identifier(f"what_{code}_showed_once_does_not_happen_again").lower(),
            promise=f"Once, with seed {about.seed}, it was broken: {finding.kind}.",
            calls="\n".join(line.rstrip() for line in drawn(_plainly_named(calls))),
            target=json.dumps(target or about.target),
            pods=len(places) if len(places) > 1 else 0,
        )


def scene(history: History, finding: Finding) -> list[Call]:
    """The smallest history that shows the finding, and the writes that came in between.

    Those prove nothing, and are what broke it: without them nothing would happen again.
    """
    shown = [call for call in smallest(history, finding) if _repeatable(call)]
    calls = [call for call in shown if call.action != FAULT]
    begin, end = min(call.start for call in calls), max(call.end for call in calls)
    known = {(call.process, call.start) for call in calls}
    company = [
        call
        for call in history.calls
        if call.session == finding.session
        and call.action in WRITES
        and (call.process, call.start) not in known
        and call.start <= end
        and begin <= call.end
    ]
    faults = [call for call in shown if call.action == FAULT]
    return calls + sorted(company, key=lambda call: call.start)[:COMPANY] + faults[:FAULTS]


def _repeatable(call: Call) -> bool:
    return call.action != FAULT or can_be_repeated(call)


def _plainly_named(calls: Sequence[Call]) -> Iterator[Call]:
    """The calls with sessions and messages whose names the notation can hold."""
    names: dict[str, str] = {}

    def plain(name: str, letter: str) -> str:
        if _PLAIN.fullmatch(name):
            return name
        return names.setdefault(name, f"{letter}{len(names) + 1}")

    for call in calls:
        yield call._replace(
            session=plain(call.session, "s") if call.session else "",
            value=_renamed(call.value, plain),
            result=_renamed(call.result, plain),
        )


def _renamed(contents: Any, plain: Callable[[str, str], str]) -> Any:
    if not isinstance(contents, tuple | list):
        return contents
    return tuple(plain(tag(each), "m") for each in contents)


def _identifier(text: str) -> str:
    return re.sub(r"\W", "_", text)

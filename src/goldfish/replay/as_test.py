"""A finding as a test: a plain pytest file that makes the same calls again."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from goldfish.errors import HistoryError
from goldfish.history import FAULT, Call, History, find_tag
from goldfish.history.notation import parse_history, render_history
from goldfish.history.operations import is_change
from goldfish.judges import Finding, judge
from goldfish.judges.smallest import find_smallest
from goldfish.replay.rerun import is_repeatable

COMPANY = 12  # writes beside those that show the finding
FAULTS = 3
LONGEST_CODE = 40  # of a name in the file
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


def render_tests(histories: Iterable[History], target: str | None) -> str:
    """Return a test file, with a test for each history in which something is broken.

    A run may come from anybody, so all of it that gets into the file is a number, an identifier or
    a literal, made here of letters that cannot end it.
    """
    codes: dict[str, int] = {}
    tests = [test for history in histories for test in _render_each(history, target, codes)]
    if not tests:
        raise HistoryError("nothing in this run is broken, so there is nothing to test")
    return _HEAD + "".join(tests)


def _render_each(history: History, target: str | None, codes: dict[str, int]) -> Iterator[str]:
    for finding in judge(history).findings[:1]:
        about, calls = history.about, find_scene(history, finding)
        code = _make_identifier(about.code or "history", codes)
        places = {call.place for call in calls if call.place}
        yield _TEST.format(
            name=f"{code.upper()}_HISTORY",
            function=f"what_{code}_showed_once_does_not_happen_again".lower(),
            promise=f"Once, with seed {int(about.seed)}, it was broken: {finding.kind}.",
            calls="\n".join(_render_calls(calls)),
            target=_make_literal(target or about.target),
            pods=len(places) if len(places) > 1 else 0,
        )


def _render_calls(calls: Sequence[Call]) -> list[str]:
    """Return the calls in the notation, in which a test can be read and changed."""
    lines = [line.rstrip() for line in render_history(_rename_all(calls))]
    try:
        parse_history("\n".join(lines))
    except (ValueError, IndexError) as error:
        raise HistoryError(f"this run cannot become a test: {error!s:.200}") from error
    return lines


def find_scene(history: History, finding: Finding) -> list[Call]:
    """Return the smallest history that shows the finding, and the writes in between.

    Those prove nothing, and are what broke it: without them nothing would happen again.
    """
    shown = [call for call in find_smallest(history, finding) if _is_repeatable(call)]
    calls = [call for call in shown if call.action != FAULT]
    begin, end = min(call.start for call in calls), max(call.end for call in calls)
    known = {(call.process, call.start) for call in calls}
    company = [
        call
        for call in history.calls
        if call.session == finding.session
        and is_change(call.action)
        and (call.process, call.start) not in known
        and call.start <= end
        and begin <= call.end
    ]
    faults = [call for call in shown if call.action == FAULT]
    return calls + sorted(company, key=lambda call: call.start)[:COMPANY] + faults[:FAULTS]


def _is_repeatable(call: Call) -> bool:
    return call.action != FAULT or is_repeatable(call)


def _rename_all(calls: Sequence[Call]) -> Iterator[Call]:
    """Yield the calls with names that the notation, and a string in any quotes, can hold."""
    names = _Names(calls)
    for call in calls:
        if call.action == FAULT:
            yield call._replace(process=FAULT, session="", value=str(call.value))
        else:
            yield call._replace(
                process=names.plain(call.process, "p"),
                session=names.plain(call.session, "s"),
                value=_rename(call.value, names),
                result=_rename(call.result, names),
            )


class _Names:
    """New names for those that are not plain, none of which was there before."""

    def __init__(self, calls: Sequence[Call]) -> None:
        contents = [each for call in calls for each in (call.value, call.result)]
        tags = [find_tag(each) for every in contents if isinstance(every, tuple) for each in every]
        texts = [each for each in contents if isinstance(each, str)]
        self._there = {*tags, *texts, *(name for call in calls for name in call[:2])}
        self._given: dict[str, str] = {}

    def plain(self, name: str, letter: str) -> str:
        if _PLAIN.fullmatch(name) and name != FAULT:
            return name
        if name not in self._given:
            numbered = (f"{letter}{number}" for number in count(len(self._given) + 1))
            self._given[name] = next(each for each in numbered if each not in self._there)
            self._there.add(self._given[name])
        return self._given[name]


def _rename(value: Any, names: _Names) -> Any:
    """Return messages, the name of a snapshot or a number of messages as the notation has it."""
    if isinstance(value, tuple):
        return tuple(names.plain(find_tag(each), "m") for each in value)
    if isinstance(value, str):
        return names.plain(value, "v")
    if value is None or type(value) is int:
        return value
    raise HistoryError(f"{value!r:.80} cannot be written into a test: leave out its call")


def _make_identifier(text: str, given: dict[str, int]) -> str:
    """Return a name for Python that is like the text, and another each time."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", text)[:LONGEST_CODE]
    plain = plain if plain[0].isalpha() else f"of_{plain}"
    given[plain.lower()] = again = given.get(plain.lower(), 0) + 1
    return plain if again == 1 else f"{plain}_again{again}"


def _make_literal(text: str) -> str:
    """Return the text as a Python literal, in ASCII."""
    return json.dumps(text) if text.isascii() else ascii(text)

"""The texts of a call in a timeline: its label, and the tooltip that shows when pointed at."""

from collections.abc import Sequence

from goldfish.findings.kinds import KINDS, Sign, has_sign
from goldfish.history import Call
from goldfish.history.operations import has_effect
from goldfish.report.description import describe_caller
from goldfish.report.highlight import (
    Highlight,
    find_missing,
    get_contents,
    is_write,
    join_names,
)
from goldfish.report.html.markup import Markup, join

OUTCOMES = {"ok": "acknowledged", "fail": "an error came back", "unknown": "no answer came"}
VERBS = {"add": "writes", "read": "reads", "remember": "remembers", "recall": "recalls"}


def make_label(call: Call, about: Sequence[str], highlight: Highlight) -> str:
    """Return the call in a few words: who, what, and how it ended."""
    who = f"{call.process} {VERBS.get(call.action, call.action)}"
    if call.outcome != "ok":
        mark = "✗ error" if call.outcome == "fail" else "? no answer"
        return " ".join(filter(None, (who, _describe_value(call), mark)))
    if is_write(call):
        return f"{who} {_describe_value(call)} ✓ acknowledged"
    if has_effect(call.action, "read"):
        return f"{who}: {_describe_result(call, about, highlight)}"
    return f"{who} {_describe_value(call)}".rstrip()


def make_tooltip(call: Call) -> Markup:
    """Return everything about the call, a line each."""
    lines = [
        f"{describe_caller(call)}, session {call.session}",
        f"{call.action} {', '.join(_list_texts(call.value))}".rstrip(),
        f"{1000 * call.start:.1f} to {1000 * call.end:.1f} ms: {OUTCOMES[call.outcome]}",
    ]
    if call.error:
        lines.append(call.error)
    if call.result is not None:
        lines += ["came back:", *_list_texts(call.result)]
    return Markup("\n".join(map(join, lines)))


def _describe_result(call: Call, about: Sequence[str], highlight: Highlight) -> str:
    """Return what a read showed; of the culprit also what is wrong with that."""
    found = get_contents(call)
    concerned = [each for each in found if each in about]
    names = join_names(concerned if concerned and len(found) > 4 else found) or "nothing"
    if call is not highlight.culprit or not about:
        return names
    missing = find_missing(call, about) if has_sign(highlight.finding, Sign.ABSENCE) else []
    if missing:
        return f"{names}: {join_names(missing)} missing ✗"
    mark = KINDS[highlight.finding].mark if highlight.finding in KINDS else ""
    return f"{names}: {mark} ✗" if mark else names


def _describe_value(call: Call) -> str:
    if is_write(call):
        return join_names(get_contents(call))
    return "" if call.value is None else join_names([str(call.value)])


def _list_texts(value: object) -> list[str]:
    if value is None:
        return []
    return [str(each) for each in value] if isinstance(value, tuple) else [str(value)]

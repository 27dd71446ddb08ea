"""What is written beside a call of a timeline, and what it tells when pointed at."""

from collections.abc import Sequence

from goldfish.findings.kinds import KINDS, Sign, has_sign
from goldfish.history import Call
from goldfish.history.operations import has_effect
from goldfish.report.html.markup import Markup, joined
from goldfish.report.html.path import Path, contents, lacking, names
from goldfish.report.html.telling import caller

OUTCOMES = {"ok": "acknowledged", "fail": "an error came back", "unknown": "no answer came"}
VERBS = {"add": "writes", "read": "reads", "remember": "remembers", "recall": "recalls"}


def label(call: Call, about: Sequence[str], followed: Path) -> str:
    """The call in a few words: who, what, and how it ended."""
    who = f"{call.process} {VERBS.get(call.action, call.action)}"
    if call.outcome != "ok":
        mark = "✗ error" if call.outcome == "fail" else "? no answer"
        return f"{who} {_asked(call)} {mark}".replace("  ", " ")
    if has_effect(call.action, "write"):
        return f"{who} {names(contents(call))} ✓ acknowledged"
    if has_effect(call.action, "read"):
        return f"{who}: {_shown(call, about, followed)}"
    return f"{who} {_asked(call)}".rstrip()


def hover(call: Call) -> Markup:
    """Everything about the call, a line each."""
    lines = [
        f"{caller(call)}, session {call.session}",
        f"{call.action} {_whole(call.value)}".rstrip(),
        f"{1000 * call.start:.1f} to {1000 * call.end:.1f} ms: {OUTCOMES[call.outcome]}",
    ]
    if call.error:
        lines.append(call.error)
    if call.result is not None:
        lines += ["came back:", *_listed(call.result)]
    return Markup("\n".join(map(joined, lines)))


def _shown(call: Call, about: Sequence[str], followed: Path) -> str:
    """What a read showed; of the culprit also what it should have shown."""
    found = contents(call)
    concerned = [each for each in found if each in about]
    told = names(concerned if concerned and len(found) > 4 else found) or "nothing"
    if call is not followed.culprit or not about:
        return told
    if has_sign(followed.finding, Sign.ABSENCE) and (gone := lacking(call, about)):
        return f"{told}: {names(gone)} missing ✗"
    mark = KINDS[followed.finding].mark if followed.finding in KINDS else ""
    return f"{told}: {mark} ✗" if mark else told


def _asked(call: Call) -> str:
    if has_effect(call.action, "write"):
        return names(contents(call))
    return "" if call.value is None else names([str(call.value)])


def _whole(value: object) -> str:
    return "" if value is None else ", ".join(_listed(value))


def _listed(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, tuple) else [str(value)]

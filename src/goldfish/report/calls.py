"""The calls of a finding as lines for a terminal, where its evidence does not have them already."""

from goldfish.findings.kinds import Sign, has_sign
from goldfish.findings.result import Result
from goldfish.history import FAULT, Call
from goldfish.history.notation import HEADING
from goldfish.history.operations import has_effect
from goldfish.report.highlight import find_highlight, get_contents, is_write, join_names
from goldfish.report.sanitize import shorten
from goldfish.report.story import find_culprits

MOST = 6  # calls
LONGEST_ID = 30


def draw_calls(result: Result) -> list[str]:
    """Return the calls that show the finding, a line each, under a heading.

    Those are the write, what undid it, and the read that shows it.
    """
    excerpt = result.excerpt
    if excerpt is None or HEADING in result.evidence or has_sign(result.finding, Sign.FAILURE):
        return []
    highlight = find_highlight(excerpt, result.finding)
    culprits = find_culprits(excerpt, result.finding)
    followed = [*highlight.writes, highlight.removal, highlight.culprit, *culprits]
    wanted = {id(call) for call in followed if call is not None}
    changes = [call for call in excerpt.calls if _is_telling(call)]
    shown = [call for call in excerpt.calls if id(call) in wanted]
    if len(shown) < 2:
        return []
    shown += [call for call in changes if id(call) not in wanted][-(MOST - len(shown)) :]
    ordered = sorted({id(call): call for call in shown}.values(), key=lambda call: call.start)
    names = [call.process if call.action != FAULT else "" for call in ordered]
    width = max(map(len, names))
    return [
        "calls:",
        *(f"{name:<{width}} {_draw(call)}" for name, call in zip(names, ordered, strict=True)),
    ]


def _is_telling(call: Call) -> bool:
    """Return True for what may have undone something: a fault, or a call that is not a read."""
    is_read = has_effect(call.action, "read") or has_effect(call.action, "inspect")
    return call.action == FAULT or not (is_read or is_write(call))


def _draw(call: Call) -> str:
    if call.action == FAULT:
        return str(call.value)
    text = f"{shorten(call.session, LONGEST_ID)} {call.action}"
    if is_write(call):
        text += f" {join_names(get_contents(call))}"
    elif call.value is not None:
        text += f" {join_names([str(call.value)])}"
    if has_effect(call.action, "read") and call.outcome == "ok":
        text += f": {join_names(get_contents(call)) or 'nothing'}"
    return text + {"ok": "", "fail": " !", "unknown": " ?"}[call.outcome]

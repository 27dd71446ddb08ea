"""The calls that a drawing highlights: from the write of a message to the call that fails it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goldfish.findings.kinds import Sign, has_sign
from goldfish.history import FAULT, Call, find_tag
from goldfish.history.excerpt import Excerpt
from goldfish.history.operations import has_effect

MOST_WRITES = 3
LONGEST_NAME = 24


@dataclass(frozen=True)
class Highlight:
    """The writes of what the finding is about, the call that fails it, and a removal between."""

    writes: tuple[Call, ...]
    culprit: Call | None
    removal: Call | None = None
    finding: str | None = None


def find_highlight(excerpt: Excerpt, finding: str | None) -> Highlight:
    """Return the calls to follow; if no contents are known, only the last that went wrong."""
    calls = [call for call in excerpt.calls if call.action != FAULT]
    culprit = _find_culprit(calls, excerpt.about, finding)
    if culprit is None or not excerpt.about:
        return Highlight((), culprit, None, finding)
    others = [call for call in calls if call is not culprit]
    writes = [call for call in others if is_write(call) and has_any(call, excerpt.about)]
    removal = None
    if finding == "resurrected":
        before = [call for call in others if call.start < culprit.start]
        removals = [call for call in before if has_effect(call.action, "remove")]
        removal = removals[-1] if removals else None
    return Highlight(tuple(writes[:MOST_WRITES]), culprit, removal, finding)


def _find_culprit(calls: Sequence[Call], about: Sequence[str], finding: str | None) -> Call | None:
    """Return the last read that contradicts the promise, or else the last call that failed."""
    if not calls:
        return None
    failed = [call for call in calls if call.outcome != "ok"]
    if has_sign(finding, Sign.FAILURE):
        return (failed or calls)[-1]
    reads = [call for call in calls if has_effect(call.action, "read") and call.outcome == "ok"]
    contradicts = find_missing if has_sign(finding, Sign.ABSENCE) else has_any
    if about:
        reads = [call for call in reads if contradicts(call, about)] or reads
    return (reads or failed or calls)[-1]


def is_write(call: Call) -> bool:
    """Return True if the call puts contents there."""
    return has_effect(call.action, "write")


def get_contents(call: Call) -> tuple[str, ...]:
    """Return what was passed to a write, and what any other call returned."""
    found = call.value if is_write(call) else call.result
    if isinstance(found, tuple):
        return found
    return (found,) if isinstance(found, str) else ()


def has_any(call: Call, about: Iterable[str]) -> bool:
    """Return True if any of these contents is in the call."""
    return not set(get_contents(call)).isdisjoint(about)


def find_missing(call: Call, about: Iterable[str]) -> list[str]:
    """Return those of the contents that a read does not show."""
    return [each for each in about if each not in get_contents(call)]


def join_names(texts: Sequence[str], most: int = 4) -> str:
    """Return the short names of the first few contents: "a, b, c, d, and 3 more"."""
    names = [_shorten_name(find_tag(each)) for each in texts[:most]]
    more = [f"and {len(texts) - most} more"] if len(texts) > most else []
    return ", ".join([*names, *more])


def _shorten_name(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"

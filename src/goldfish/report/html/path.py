"""Which calls the eye has to follow: from the write of a message to the call that fails it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goldfish.findings.kinds import Sign, has_sign
from goldfish.history import FAULT, Call, find_tag
from goldfish.history.excerpt import Excerpt
from goldfish.history.operations import has_effect

MOST_WRITES = 3


@dataclass(frozen=True)
class Path:
    """The writes of what the finding is about, the call that comes to grief, and one between."""

    writes: tuple[Call, ...]
    culprit: Call | None
    removal: Call | None = None
    finding: str | None = None


def path(excerpt: Excerpt, finding: str | None) -> Path:
    """The calls to follow; where nothing is known of contents, only the last that went wrong."""
    calls = [call for call in excerpt.calls if call.action != FAULT]
    culprit = _culprit(calls, excerpt.about, finding)
    if culprit is None or not excerpt.about:
        return Path((), culprit, None, finding)
    writes = [
        call
        for call in calls
        if has_effect(call.action, "write") and call is not culprit and has(call, excerpt.about)
    ]
    before = [call for call in calls if call.start < culprit.start and call is not culprit]
    removals = [call for call in before if has_effect(call.action, "remove")]
    between = removals[-1:] if finding == "resurrected" else []
    return Path(tuple(writes[:MOST_WRITES]), culprit, next(iter(between), None), finding)


def _culprit(calls: Sequence[Call], about: Sequence[str], finding: str | None) -> Call | None:
    """The last read that contradicts the promise, or else the last call that failed."""
    if not calls:
        return None
    failed = [call for call in calls if call.outcome != "ok"]
    if has_sign(finding, Sign.FAILURE):
        return (failed or calls)[-1]
    reads = [call for call in calls if has_effect(call.action, "read") and call.outcome == "ok"]
    if has_sign(finding, Sign.ABSENCE) and about:
        reads = [call for call in reads if lacking(call, about)] or reads
    elif about:
        reads = [call for call in reads if has(call, about)] or reads
    return (reads or failed or calls)[-1]


def contents(call: Call) -> tuple[str, ...]:
    """What was handed in, if it is a write, and what was shown if it is a read."""
    found = call.value if has_effect(call.action, "write") else call.result
    if isinstance(found, tuple):
        return found
    return (found,) if isinstance(found, str) else ()


def has(call: Call, about: Iterable[str]) -> bool:
    """Whether any of these contents is in the call."""
    return not set(contents(call)).isdisjoint(about)


def lacking(call: Call, about: Iterable[str]) -> list[str]:
    """Which of these contents a read does not show."""
    return [each for each in about if each not in contents(call)]


def names(texts: Sequence[str], most: int = 4) -> str:
    """The short names of contents, the first few of them."""
    told = [_name(each) for each in texts[:most]]
    more = [f"and {len(texts) - most} more"] if len(texts) > most else []
    return ", ".join([*told, *more])


def _name(text: str) -> str:
    short = find_tag(text)
    return short if len(short) <= 24 else f"{short[:23]}…"

"""Causes as reports tell them: which there are beside what is known, and what hangs on each."""

from collections.abc import Container, Iterator

from goldfish.findings.causes import Cause, Mechanism, find_causes
from goldfish.findings.result import Report, Verdict
from goldfish.report.results import list_lines, state_finding
from goldfish.report.sanitize import escape_controls, shorten
from goldfish.report.story import tell_story

LONGEST = 300  # characters of a line about another promise
# How each mechanism is told: of what breaks one promise, and of what breaks more.
_NAMES = {
    Mechanism.ERROR: "The same error",
    Mechanism.CROSSING: "The same shared state",
    Mechanism.RACE: "The same race",
    Mechanism.OPENING: "The same cause",
    Mechanism.BASE: "Probably the same cause",
}
_DIAGNOSES = {
    Mechanism.CROSSING: "State crosses sandboxes: a read returns what was written to another "
    "storage. Something at the level of a module, a class or a default argument is shared.",
    Mechanism.OPENING: "What one opening of the storage wrote, another does not have.",
}


def list_causes(report: Report, known: Container[str] = ()) -> list[Cause]:
    """Return the causes of what is broken and neither known nor documented."""
    new = [each for each in report.results if each.code not in known and not each.documented]
    return find_causes(new)


def count_documented(report: Report) -> int:
    """Return how many promises are broken as the memory's documentation says."""
    broken = [each for each in report.results if each.verdict is Verdict.BROKEN]
    return sum(bool(each.documented) for each in broken)


def diagnose(cause: Cause) -> str:
    """Return what happened, in a sentence or two: the story of the calls, or the mechanism's."""
    diagnosis = _DIAGNOSES.get(cause.mechanism, "")
    story = tell_story(cause.first)
    if story and cause.mechanism is not Mechanism.CROSSING:
        return story
    return diagnosis


def state_others(cause: Cause) -> str:
    """Return how many more promises hang on the cause: "The same race breaks 14 more promises"."""
    if not cause.others:
        return ""
    count = len(cause.others)
    promises = "1 more promise" if count == 1 else f"{count} more promises"
    return f"{_NAMES[cause.mechanism]} breaks {promises}"


def list_others(cause: Cause) -> Iterator[str]:
    """Yield a line for each other promise of a cause: its code, and what was found."""
    for each in cause.others:
        yield f"{each.code} {shorten(escape_controls(state_finding(each)), LONGEST)}"


def list_cause_lines(cause: Cause) -> list[str]:
    """Return all that is known of a cause, for a reader who has nothing else: a line each."""
    lines = [*list_lines(cause.first)]
    extra = [escape_controls(each) for each in (locate(cause), diagnose(cause)) if each]
    lines[2:2] = extra
    if cause.others:
        lines += [f"{state_others(cause)}:", *list_others(cause)]
    return lines


def locate(cause: Cause) -> str:
    """Return where the error was raised: "at memory.py:12 in add_messages"."""
    origin = cause.first.origin
    if origin is None or origin.place is None:
        return ""
    deeper = f" (from {origin.inner})" if origin.inner and origin.inner != origin.place else ""
    return f"at {origin.place}{deeper}"

"""A finding in one or two sentences that need no other: who did what, and what was wrong."""

from collections.abc import Sequence

from goldfish.findings.kinds import Sign, has_sign
from goldfish.findings.result import Result
from goldfish.history import Call
from goldfish.report.highlight import (
    Highlight,
    find_highlight,
    find_missing,
    get_contents,
    has_any,
    is_write,
    join_names,
)
from goldfish.report.sanitize import shorten
from goldfish.report.story import tell_story

LONGEST = 400


def describe_finding(result: Result) -> str:
    """Return what the calls of the finding show, or else the sentence of the check."""
    if story := tell_story(result):
        return story  # it begins with the name of a caller
    if result.excerpt is not None:
        highlight = find_highlight(result.excerpt, result.finding)
        if sentence := _describe_calls(highlight, result.excerpt.about):
            return _capitalise(sentence)
    summary = shorten(result.summary, LONGEST)
    return f"{_capitalise(summary)}{'' if summary.endswith('.') else '.'}"


def _capitalise(text: str) -> str:
    """Return the text with a capital letter, unless it begins with the name of a method."""
    begins_with_name = "_" in text.partition(" ")[0]
    return text if begins_with_name else f"{text[:1].upper()}{text[1:]}"


def _describe_calls(highlight: Highlight, about: Sequence[str]) -> str | None:
    finding, culprit, writes = highlight.finding, highlight.culprit, highlight.writes
    if culprit is None:
        return None
    if finding == "refused" and culprit.outcome != "ok":
        return _describe_refused(culprit)
    if not writes or culprit.action != "read":
        return None
    if finding == "torn" and find_missing(culprit, about) and has_any(culprit, about):
        return _describe_torn(writes[0], culprit, about)
    if has_sign(finding, Sign.ABSENCE):
        return _describe_missing(writes, culprit, about)
    if finding == "leaked" and writes[0].session != culprit.session:
        return _describe_leaked(writes[0], culprit, about)
    if finding == "resurrected" and highlight.removal is not None:
        return _describe_resurrected(highlight.removal, culprit, about)
    return None


def _describe_refused(call: Call) -> str:
    contents = join_names(get_contents(call)) or "nothing"
    what = f"write {contents}" if is_write(call) else call.action
    return f"{describe_caller(call)} tried to {what}, and the call failed: {_get_error(call)}"


def _get_error(call: Call) -> str:
    return call.error or ("an error" if call.outcome == "fail" else "no answer")


def _describe_torn(write: Call, read: Call, about: Sequence[str]) -> str:
    missing = find_missing(read, about)
    there = [each for each in about if each not in missing]
    reader = _capitalise(describe_caller(read))
    return (
        f"{describe_caller(write)} wrote {join_names(about)} as one batch. "
        f"{reader} read the session and got {join_names(there)} without {join_names(missing)}."
    )


def _describe_missing(writes: Sequence[Call], read: Call, about: Sequence[str]) -> str | None:
    missing = find_missing(read, about)
    acknowledged = [call for call in writes if call.outcome == "ok" and has_any(call, missing)]
    if not acknowledged or acknowledged[0].end > read.start:
        return None
    write = acknowledged[0]
    names, was = _name_some(get_contents(write), missing)
    return (
        f"{describe_caller(write)} wrote {names} to session {write.session}, and the write was "
        f"acknowledged. {_describe_wait(read.start - write.end)}, {describe_caller(read)} read "
        f"that session, and {names} {was} not there."
    )


def _describe_leaked(write: Call, read: Call, about: Sequence[str]) -> str:
    names, _ = _name_some(get_contents(read), about)
    reader = _capitalise(describe_caller(read))
    return (
        f"{describe_caller(write)} wrote {names} to {write.session!r}. "
        f"{reader} read {read.session!r}, to which nobody wrote it, and got it."
    )


def _describe_resurrected(removal: Call, read: Call, about: Sequence[str]) -> str:
    names, was = _name_some(get_contents(read), about)
    return (
        f"{describe_caller(removal)} removed {names} ({removal.action}). "
        f"Later {describe_caller(read)} read the session, and {names} {was} there again."
    )


def _name_some(contents: Sequence[str], wanted: Sequence[str]) -> tuple[str, str]:
    """Return the names of those contents that are wanted, and the verb for as many."""
    some = [each for each in contents if each in wanted]
    return join_names(some), "was" if len(some) == 1 else "were"


def describe_caller(call: Call) -> str:
    """Return who made the call, and through which process."""
    if call.place in {"", call.process}:
        return describe_place(call.process)
    who = "the reader at the end" if call.process == "end" else f"caller {call.process}"
    return f"{who} (through {call.place})"


def describe_place(name: str) -> str:
    """Return the name of an opening of the storage, with what it is."""
    if name.startswith("here"):
        return f"opening {name.removeprefix('here')} in the first process"
    return f"process {name}" if name.startswith("pod") else name


def _describe_wait(seconds: float) -> str:
    if seconds < 0.00005:
        return "Right after that"
    return f"{1000 * seconds:.1f} ms later" if seconds < 1 else f"{seconds:.1f} s later"

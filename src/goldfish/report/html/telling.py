"""What happened, in one sentence that needs no other."""

from goldfish.findings.kinds import Sign, has_sign
from goldfish.findings.result import Result
from goldfish.history import Call
from goldfish.history.excerpt import Excerpt
from goldfish.history.operations import has_effect
from goldfish.report.html.path import Path, contents, has, lacking, names, path
from goldfish.report.sanitize import shorten

LONGEST = 400


def happened(result: Result) -> str:
    """The finding told by its calls; where they do not tell it, in the words of the check."""
    if result.excerpt is not None:
        followed = path(result.excerpt, result.finding)
        if sentence := _by_calls(result, result.excerpt, followed):
            return _capital(sentence)
    summary = shorten(result.summary, LONGEST)
    if "_" in summary.partition(" ")[0]:  # the name of a method stays as it is
        summary = f"The call of {summary}"
    return f"{_capital(summary)}{'' if summary.endswith('.') else '.'}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _by_calls(result: Result, excerpt: Excerpt, followed: Path) -> str | None:
    culprit = followed.culprit
    if culprit is None:
        return None
    if result.finding == "refused" and culprit.outcome != "ok":
        return _refused(culprit)
    if not followed.writes or culprit.action != "read":
        return None
    if result.finding == "torn" and lacking(culprit, excerpt.about) and has(culprit, excerpt.about):
        return _torn(followed.writes[0], culprit, excerpt.about)
    if has_sign(result.finding, Sign.ABSENCE):
        return _missing(followed.writes, culprit, excerpt.about)
    if result.finding == "leaked" and followed.writes[0].session != culprit.session:
        return _leaked(followed.writes[0], culprit, excerpt.about)
    if result.finding == "resurrected" and followed.removal is not None:
        return _resurrected(followed.removal, culprit, excerpt.about)
    return None


def _missing(writes: tuple[Call, ...], read: Call, about: tuple[str, ...]) -> str | None:
    gone = lacking(read, about)
    acknowledged = [call for call in writes if call.outcome == "ok" and has(call, gone)]
    if not acknowledged or acknowledged[0].end > read.start:
        return None
    write = acknowledged[0]
    missed = [each for each in contents(write) if each in gone]
    told, was = names(missed), "was" if len(missed) == 1 else "were"
    return (
        f"{caller(write)} wrote {told} to session {write.session} "
        "and was told that this is stored. "
        f"{_later(read.start - write.end)} {caller(read)} read that session: "
        f"{told} {was} not there."
    )


def _torn(write: Call, read: Call, about: tuple[str, ...]) -> str:
    shown = [each for each in about if each not in lacking(read, about)]
    return (
        f"{caller(write)} wrote {names(about)} as one batch. {_capital(caller(read))} read the "
        f"session and was shown {names(shown)} without {names(lacking(read, about))}."
    )


def _refused(call: Call) -> str:
    asked = (
        f"write {names(contents(call)) or 'nothing'}"
        if has_effect(call.action, "write")
        else call.action
    )
    got = call.error or "no answer"
    return f"{caller(call)} asked to {asked}, an ordinary call, and got an error: {got}"


def _leaked(write: Call, read: Call, about: tuple[str, ...]) -> str:
    told = names([each for each in contents(read) if each in about])
    return (
        f"{caller(write)} wrote {told} to {write.session!r}. {_capital(caller(read))} read "
        f"{read.session!r}, where nobody wrote it, and was shown it."
    )


def _resurrected(removal: Call, read: Call, about: tuple[str, ...]) -> str:
    back = [each for each in contents(read) if each in about]
    told, was = names(back), "was" if len(back) == 1 else "were"
    return (
        f"{caller(removal)} removed {told} ({removal.action}). "
        f"Later {caller(read)} read the session, and {told} {was} there again."
    )


def caller(call: Call) -> str:
    """Who asked, and through which process."""
    if call.place in {"", call.process}:
        return in_words(call.process)
    who = "the reader at the end" if call.process == "end" else f"caller {call.process}"
    return f"{who} (through {call.place})"


def in_words(name: str) -> str:
    """The name of an opening of the storage, with what it is."""
    if name.startswith("here"):
        return f"opening {name.removeprefix('here')} in the first process"
    return f"process {name}" if name.startswith("pod") else name


def _later(seconds: float) -> str:
    if seconds < 0.00005:
        return "Right after that,"
    return f"{1000 * seconds:.1f} ms later" if seconds < 1 else f"{seconds:.1f} s later"

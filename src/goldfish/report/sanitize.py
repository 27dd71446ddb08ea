"""Texts of strangers made fit to be told: secrets masked, length bounded, nothing that acts."""

from dataclasses import replace
from unicodedata import category

from goldfish.errors import mask
from goldfish.findings.result import Report, Result

LONGEST_TOLD = 2_000
JOINER = "\u200d"


def sanitize_report(report: Report) -> Report:
    """The report without secrets, and without texts that nobody would read to the end."""
    results = tuple(_discreet_result(result) for result in report.results)
    return replace(
        report,
        target=sanitize_text(report.target),
        results=results,
        promises=sanitize_text(report.promises),
    )


def sanitize_text(text: str) -> str:
    """The text without secrets, and not endless."""
    told = mask(text)  # before it is cut: no cut may hide the end of a password
    if len(told) <= LONGEST_TOLD:
        return told
    return f"{told[:LONGEST_TOLD]}… ({len(text):,} characters)"


def escape_controls(text: str) -> str:
    """The text with control characters, direction marks and surrogates shown as escapes."""
    if text.isprintable():
        return text
    return "".join(
        each
        if each.isprintable() or _joins_pictures(text, place)
        else each.encode("unicode_escape").decode("ascii")
        for place, each in enumerate(text)
    )


def _joins_pictures(text: str, place: int) -> bool:
    """Whether a joiner makes one picture of several; elsewhere it hides something."""
    if text[place] != JOINER or not 0 < place < len(text) - 1:
        return False
    before, after = category(text[place - 1]), category(text[place + 1])
    return before in {"So", "Sk", "Mn"} and after == "So"


def shorten(text: str, limit: int) -> str:
    """The beginning and the end of a text that is longer than the limit."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail - 3]} … {text[-tail:]}"[:limit]


def truncate(text: str, limit: int) -> str:
    """The beginning of a text that is longer than the limit."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _discreet_result(result: Result) -> Result:
    return replace(
        result,
        promise=sanitize_text(result.promise),
        reason=result.reason and result.reason.with_parts(sanitize_text),
        evidence=tuple(map(sanitize_text, result.evidence)),
        reproduce=mask(result.reproduce),
        documented=sanitize_text(result.documented),
    )

"""Texts of strangers made safe to show: without secrets, not endless, and inert."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any
from unicodedata import category

from goldfish.errors import mask
from goldfish.findings.result import Report, Result

LONGEST = 2_000  # characters
EXPECTED, READ = "expected ", "read back "  # how the lines of a comparison begin
JOINER = "\u200d"


def sanitize_report(report: Report) -> Report:
    """Return the report without secrets, and without texts too long to be read to the end."""
    return replace(
        report,
        target=sanitize_text(report.target),
        results=tuple(map(_sanitize_result, report.results)),
        promises=sanitize_text(report.promises),
    )


def _sanitize_result(result: Result) -> Result:
    return replace(
        result,
        promise=sanitize_text(result.promise),
        reason=result.reason and result.reason.with_parts(sanitize_text),
        evidence=tuple(map(sanitize_text, result.evidence)),
        reproduce=mask(result.reproduce),
        documented=sanitize_text(result.documented),
        notes=tuple(map(sanitize_text, result.notes)),
        dialogue=_sanitize_all(result.dialogue),
    )


def _sanitize_all(value: Any) -> Any:
    """Return a dataclass, or a tuple, with every text in it sanitized."""
    if isinstance(value, str):
        return sanitize_text(value)
    if isinstance(value, tuple):
        return tuple(map(_sanitize_all, value))
    if is_dataclass(value) and not isinstance(value, type):
        changed = {each.name: _sanitize_all(getattr(value, each.name)) for each in fields(value)}
        return replace(value, **changed)
    return value


def sanitize_text(text: str) -> str:
    """Return the text without secrets, and cut if it is very long."""
    masked = mask(text)  # before it is cut: no cut may hide the end of a password
    if len(masked) <= LONGEST:
        return masked
    return f"{masked[:LONGEST]}… ({len(text):,} characters)"


def escape_controls(text: str) -> str:
    """Return the text with control characters, direction marks and surrogates as escapes."""
    if text.isprintable():
        return text
    return "".join(
        each
        if each.isprintable() or _joins_pictures(text, place)
        else each.encode("unicode_escape").decode("ascii")
        for place, each in enumerate(text)
    )


def _joins_pictures(text: str, place: int) -> bool:
    """Return True if a joiner makes one picture of several; elsewhere it hides something."""
    if text[place] != JOINER or not 0 < place < len(text) - 1:
        return False
    before, after = category(text[place - 1]), category(text[place + 1])
    return before in {"So", "Sk", "Mn"} and after == "So"


def shorten(text: str, limit: int) -> str:
    """Return the text; if it is longer than the limit, its beginning and its end."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail - 3]} … {text[-tail:]}"[:limit]


def shorten_evidence(lines: Sequence[str], limit: int) -> list[str]:
    """Return lines that fit; of what was expected and what was read, the part that differs."""
    shown = [shorten(line, limit) for line in lines]
    for at, (first, second) in enumerate(pairwise(lines)):
        if first.startswith(EXPECTED) and second.startswith(READ):
            wanted, got = first.removeprefix(EXPECTED), second.removeprefix(READ)
            shown[at] = EXPECTED + _shorten_beside(wanted, got, limit - len(EXPECTED))
            shown[at + 1] = READ + _shorten_beside(got, wanted, limit - len(READ))
    return shown


def _shorten_beside(text: str, other: str, limit: int) -> str:
    """Return the text; if it is longer than the limit, the part where another differs from it."""
    differs = next(
        (at for at, pair in enumerate(zip(text, other, strict=False)) if len({*pair}) > 1), 0
    )
    start = max(0, differs - limit // 2)
    if len(text) <= limit or differs < limit // 2:
        return shorten(text, limit)
    return truncate(f"… {text[start:]}", limit)


def truncate(text: str, limit: int) -> str:
    """Return the text; if it is longer than the limit, its beginning."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"

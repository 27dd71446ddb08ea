"""What is wrong between the history that must be there and the one that was read."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.errors import mask
from goldfish.findings.result import Violation

WINDOW = 500  # characters at each end of a long value that evidence may show

_TAG = re.compile(r"\[[A-Z]{3}\d\d-\d+\]")


def expect_contents(
    expected: Sequence[Any],
    found: Sequence[Any],
    *,
    session: str,
    foreign: Iterable[Any] = (),
    gone: Iterable[Any] = (),
) -> None:
    """Raise the violation that explains the difference best; both are contents in order.

    ``foreign`` are contents of other sessions, ``gone`` those that were removed.
    """
    if list(expected) == list(found):
        return
    summary, about = _explained(expected, found, f"session {quote(session)}", foreign, gone)
    evidence = (f"expected {quote_list(expected)}", f"read back {quote_list(found)}")
    raise Violation(summary, *evidence, session=session, about=about)


def _explained(
    expected: Sequence[Any],
    found: Sequence[Any],
    where: str,
    foreign: Iterable[Any],
    gone: Iterable[Any],
) -> tuple[str, tuple[Any, ...]]:
    """The difference in a sentence, and the contents that it is about: the worst of it first."""
    wanted, got = Counter(map(repr, expected)), Counter(map(repr, found))
    extra = [each for each in found if repr(each) not in wanted]
    missing = [each for each in expected if repr(each) not in got]
    for word, known, was in (
        ("leaked", foreign, "written to another session"),
        ("resurrected", gone, "removed"),
    ):
        strangers = {repr(each) for each in known}
        if seen := [each for each in extra if repr(each) in strangers]:
            return f"{word}: {quote(seen[0])} was {was}, but {where} returns it", tuple(seen)
    if altered := _altered(missing, extra):
        before, after = map(quote, altered)
        return f"corrupted: {where} was given {before}, but returns {after}", altered
    if missing:
        share = f"({len(missing)} of {len(expected)} missing)"
        text = f"{quote(missing[0])} was acknowledged, but {where} does not return it {share}"
        return f"lost: {text}", tuple(missing)
    if extra:
        return f"phantom: {quote(extra[0])} was never written, but {where} returns it", tuple(extra)
    if repeated := [each for each in expected if got[repr(each)] > wanted[repr(each)]]:
        return f"duplicated: {where} returns {quote(repeated[0])} too often", tuple(repeated)
    if fewer := [each for each in expected if got[repr(each)] < wanted[repr(each)]]:
        text = (
            f"{quote(fewer[0])} was acknowledged several times, but {where} returns it less often"
        )
        return f"lost: {text}", tuple(fewer)
    place = next(at for at, each in enumerate(found) if each != expected[at])
    stranger, rightful = found[place], expected[place]
    text = (
        f"{where} returns {quote(stranger)} in place {place + 1}, where {quote(rightful)} belongs"
    )
    return f"reordered: {text}", (stranger, rightful)


def _altered(missing: Sequence[Any], extra: Sequence[Any]) -> tuple[Any, Any] | None:
    """A content that came back changed: the same tag, or all that is left on both sides."""
    tagged = {match.group(): each for each in extra if (match := _TAG.search(str(each)))}
    for each in missing:
        match = _TAG.search(str(each))
        if match and match.group() in tagged:
            return each, tagged[match.group()]
    if missing and len(missing) == len(extra):
        return missing[0], extra[0]
    return None


def quote(value: object, limit: int = 60) -> str:
    """The value as evidence: printable, masked, on one line, cut in the middle if it is long."""
    plain = value if isinstance(value, str) else repr(value)
    told = mask(plain)  # before it is cut: half a URL may hide where its password ends
    ends = told if len(told) <= 2 * WINDOW else told[:WINDOW] + told[-WINDOW:]
    if isinstance(value, str):
        text = repr(ends) if ends.isprintable() else ascii(ends)
    else:
        text = ends if ends.isprintable() else ascii(ends)[1:-1]
    if len(text) <= limit and len(plain) <= 2 * WINDOW:
        return text
    return f"{text[: limit - 20]}…{text[-12:]} ({len(plain):,} long)"


def quote_list(values: Sequence[Any], most: int = 6, what: str = "messages") -> str:
    """The values as evidence: the first and the last of many."""
    if len(values) <= most:
        return "[" + ", ".join(quote(each, 40) for each in values) + "]"
    head = ", ".join(quote(each, 40) for each in values[:3])
    tail = ", ".join(quote(each, 40) for each in values[-2:])
    return f"[{head}, … {tail}] ({len(values):,} {what})"

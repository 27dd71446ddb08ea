"""What is wrong between the history that must be there and the one that was read."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.errors import masked
from goldfish.verdict import Violation

WINDOW = 500  # characters at each end of a long value that evidence may show

_TAG = re.compile(r"\[[A-Z]{3}\d\d-\d+\]")


def judge(
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
    where = f"session {shown(session)}"
    wanted, got = Counter(map(repr, expected)), Counter(map(repr, found))
    extra = [each for each in found if repr(each) not in wanted]
    missing = [each for each in expected if repr(each) not in got]
    evidence = (f"expected {shown_list(expected)}", f"read back {shown_list(found)}")
    for word, known in (("leaked", foreign), ("resurrected", gone)):
        strangers = {repr(each) for each in known}
        seen = [each for each in extra if repr(each) in strangers]
        if seen:
            raise Violation(
                f"{word}: {where} gave back {shown(seen[0])}",
                *evidence,
                session=session,
                about=tuple(seen),
            )
    if altered := _altered(missing, extra):
        before, after = altered
        raise Violation(
            f"corrupted: {where} was given {shown(before)} and gave back {shown(after)}",
            *evidence,
            session=session,
            about=altered,
        )
    if missing:
        raise Violation(
            f"lost: {where} acknowledged {shown(missing[0])} and does not have it "
            f"({len(missing)} of {len(expected)} missing)",
            *evidence,
            session=session,
            about=tuple(missing),
        )
    if extra:
        raise Violation(
            f"phantom: {where} has {shown(extra[0])}, which nobody wrote",
            *evidence,
            session=session,
            about=tuple(extra),
        )
    if repeated := [each for each in expected if got[repr(each)] > wanted[repr(each)]]:
        raise Violation(
            f"duplicated: {where} has {shown(repeated[0])} more than once",
            *evidence,
            session=session,
            about=tuple(repeated),
        )
    if fewer := [each for each in expected if got[repr(each)] < wanted[repr(each)]]:
        raise Violation(
            f"lost: {where} has one {shown(fewer[0])} instead of several",
            *evidence,
            session=session,
            about=tuple(fewer),
        )
    place = next(at for at, each in enumerate(found) if each != expected[at])
    raise Violation(
        f"reordered: {where} has {shown(found[place])} in place {place + 1}, "
        f"where {shown(expected[place])} belongs",
        *evidence,
        session=session,
        about=(found[place], expected[place]),
    )


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


def shown(value: object, limit: int = 60) -> str:
    """The value as evidence: printable, masked, on one line, cut in the middle if it is long."""
    plain = value if isinstance(value, str) else repr(value)
    ends = plain if len(plain) <= 2 * WINDOW else plain[:WINDOW] + plain[-WINDOW:]
    ends = masked(ends)  # before it is cut: half a URL may hide where its password ends
    if isinstance(value, str):
        text = repr(ends) if ends.isprintable() else ascii(ends)
    else:
        text = ends if ends.isprintable() else ascii(ends)[1:-1]
    if len(text) <= limit and len(plain) <= 2 * WINDOW:
        return text
    return f"{text[: limit - 20]}…{text[-12:]} ({len(plain):,} long)"


def shown_list(values: Sequence[Any], most: int = 6, what: str = "messages") -> str:
    """The values as evidence: the first and the last of many."""
    if len(values) <= most:
        return "[" + ", ".join(shown(each, 40) for each in values) + "]"
    head = ", ".join(shown(each, 40) for each in values[:3])
    tail = ", ".join(shown(each, 40) for each in values[-2:])
    return f"[{head}, … {tail}] ({len(values):,} {what})"

"""The comparison of the contents that must be there with those that were read."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from goldfish.errors import mask
from goldfish.findings.remainder import find_remainder
from goldfish.findings.result import Violation

WINDOW = 500  # characters at each end of a long value that evidence may show

MOST_QUOTED = 6  # items of a list that is shown whole

TAG = re.compile(r"\[[A-Z]{3}\d\d-\d+\]")


Explanation = tuple[str, tuple[Any, ...]]  # a sentence, and the contents that it is about


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
    origins = {
        "leaked": ("written to another session", foreign),
        "resurrected": ("removed", gone),
    }
    summary, about = next(_explain(expected, found, f"session {quote(session)}", origins))
    wanted, got = quote_lists(expected, found)
    evidence = (f"expected {wanted}", f"read back {got}")
    left = find_remainder(expected, found)
    raise Violation(summary, *evidence, session=session, about=about, remainder=left)


def _explain(
    expected: Sequence[Any],
    found: Sequence[Any],
    where: str,
    origins: Mapping[str, tuple[str, Iterable[Any]]],
) -> Iterator[Explanation]:
    """Yield what is wrong with the contents, the gravest first."""
    wanted, got = Counter(map(show, expected)), Counter(map(show, found))
    extra = [each for each in found if show(each) not in wanted]
    missing = [each for each in expected if show(each) not in got]
    for word, (was, contents) in origins.items():
        known = set(map(show, contents))
        if back := [each for each in extra if show(each) in known]:
            yield f"{word}: {quote(back[0])} was {was}, but {where} returns it", tuple(back)
    if altered := _find_altered(missing, extra):
        before, after = quote_pair(*altered)
        yield f"corrupted: {where} was given {before}, but returns {after}", altered
    if missing:
        text = f"{quote(missing[0])} was acknowledged, but {where} does not return it"
        yield f"lost: {text} ({len(missing)} of {len(expected)} missing)", tuple(missing)
    if extra:
        yield f"phantom: {quote(extra[0])} was never written, but {where} returns it", tuple(extra)
    if more := [each for each in expected if got[show(each)] > wanted[show(each)]]:
        yield f"duplicated: {where} returns {quote(more[0])} too often", tuple(more)
    if fewer := [each for each in expected if got[show(each)] < wanted[show(each)]]:
        text = (
            f"{quote(fewer[0])} was acknowledged several times, but {where} returns it less often"
        )
        yield f"lost: {text}", tuple(fewer)
    place = next(at for at, each in enumerate(found) if each != expected[at])
    stranger, rightful = found[place], expected[place]
    text = (
        f"{where} returns {quote(stranger)} in place {place + 1}, where {quote(rightful)} belongs"
    )
    yield f"reordered: {text}", (stranger, rightful)


def _find_altered(missing: Sequence[Any], extra: Sequence[Any]) -> tuple[Any, Any] | None:
    """Return a content that came back changed: the same tag, or all that is left on both sides."""
    tagged = {match.group(): each for each in extra if (match := TAG.search(_as_text(each)))}
    for each in missing:
        match = TAG.search(_as_text(each))
        if match and match.group() in tagged:
            return each, tagged[match.group()]
    if missing and len(missing) == len(extra):
        return missing[0], extra[0]
    return None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else show(value)


def show(value: object) -> str:
    """Return the form of a value; a stranger's object may not even have one."""
    try:
        return repr(value)
    except Exception as error:
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"


def quote(value: object, limit: int = 60) -> str:
    """Return the value as evidence: printable, masked, on one line, without a long middle."""
    plain = _as_text(value)
    masked = mask(plain)  # before it is cut: half a URL may hide where its password ends
    ends = masked if len(masked) <= 2 * WINDOW else masked[:WINDOW] + masked[-WINDOW:]
    if isinstance(value, str):
        text = repr(ends) if ends.isprintable() else ascii(ends)
    else:
        text = ends if ends.isprintable() else ascii(ends)[1:-1]
    if len(text) <= limit and len(plain) <= 2 * WINDOW:
        return text
    return f"{text[: limit - 20]}…{text[-12:]} ({len(plain):,} long)"


def quote_pair(before: object, after: object, limit: int = 60) -> tuple[str, str]:
    """Return two values as evidence, so that where they differ is never in a long middle."""
    quoted = quote(before, limit), quote(after, limit)
    if not (isinstance(before, str) and isinstance(after, str)) or before == after:
        return quoted
    if max(len(before), len(after)) <= limit - 20 and quoted[0] != quoted[1]:
        return quoted
    start = max(0, count_equal(before, after) - limit // 3)
    windows = [mask(each)[start : start + limit - 20] for each in (before, after)]
    if start == 0 or windows[0] == windows[1]:  # what is masked may be all that differs
        return quoted
    lengths = [f"({len(each):,} long, from character {start + 1:,})" for each in (before, after)]
    first, second = (
        f"{quote(window)} {length}" for window, length in zip(windows, lengths, strict=True)
    )
    return first, second


def quote_lists(expected: Sequence[Any], found: Sequence[Any]) -> tuple[str, str]:
    """Return two lists as evidence: of long ones, from shortly before they differ."""
    if max(len(expected), len(found)) <= MOST_QUOTED:
        return quote_list(expected), quote_list(found)
    equal = count_equal(list(map(show, expected)), list(map(show, found)))
    left_out = max(0, equal - 1)
    if left_out < 2:
        return quote_list(expected), quote_list(found)
    first, second = (
        f"({left_out:,} as expected, then) {quote_list(each[left_out:])}"
        for each in (expected, found)
    )
    return first, second


def count_equal(first: Sequence[object], second: Sequence[object]) -> int:
    """Return how many items two sequences begin with alike."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def quote_list(values: Sequence[Any], most: int = MOST_QUOTED, what: str = "messages") -> str:
    """Return the values as evidence: of many, the first and the last."""
    if len(values) <= most:
        return "[" + ", ".join(quote(each, 40) for each in values) + "]"
    head = ", ".join(quote(each, 40) for each in values[:3])
    tail = ", ".join(quote(each, 40) for each in values[-2:])
    return f"[{head}, … {tail}] ({len(values):,} {what})"

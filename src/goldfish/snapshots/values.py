"""Values and their changes in the words of a reader: short, on the point, and inert."""

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

from goldfish.report.sanitize import escape_controls
from goldfish.snapshots.masks import StandIn, Value

CONTEXT = 12  # characters that are shown before a change
DEEPEST = 50
Told = tuple[str, str]  # where inside the value, and what


def shown(value: Value, room: int) -> str:
    """One value in at most so many columns; text in quotes, a blob as hex with its length."""
    if isinstance(value, bytes):
        return _blob(value, 0, room)
    if isinstance(value, str) and not isinstance(value, StandIn):
        return _text(value, 0, room)
    return fitted(escape_controls("NULL" if value is None else str(value)), room)


def change(before: Value, after: Value, room: int) -> list[Told]:
    """What changed: inside of JSON path by path, else the two values around the first change."""
    if isinstance(before, str) and isinstance(after, str):
        inside = list(_inside(before, after))
        if inside:
            return [
                (path, told) for path, one, other in inside for told in _arrow(one, other, room)
            ]
    return [("", told) for told in _arrow(before, after, room)]


def _arrow(before: Any, after: Any, room: int) -> list[str]:
    half = max(room // 2 - 2, 8)
    one, other = _sides(before, after, half)
    if width(one) + width(other) + 3 <= room and max(width(one), width(other)) < half:
        return [f"{one} → {other}"]
    one, other = _sides(before, after, room - 2)
    return [one, f"→ {other}"]


def _sides(before: Any, after: Any, room: int) -> tuple[str, str]:
    if before is ABSENT or after is ABSENT:
        return tuple(  # type: ignore[return-value]
            "nothing" if each is ABSENT else shown(each, room) for each in (before, after)
        )
    if isinstance(before, bytes) and isinstance(after, bytes):
        begin = _first_difference(before, after)
        return _blob(before, begin, room), _blob(after, begin, room)
    if _is_text(before) and _is_text(after):
        begin = _first_difference(before, after)
        return _text(before, begin, room), _text(after, begin, room)
    return shown(before, room), shown(after, room)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, StandIn)


def _first_difference(one: Any, other: Any) -> int:
    """How much is the same at the beginning, by halving: values may be long."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _text(value: str, change_at: int, room: int) -> str:
    whole = escape_controls(value[: 4 * room]).replace("'", "''")
    if len(value) <= 4 * room and width(whole) + 2 <= room:
        return f"'{whole}'"
    begin = max(0, change_at - CONTEXT) if change_at + CONTEXT > room else 0
    length = f" ({len(value):,} characters)" if room > 40 else ""
    lead = "…" if begin else ""
    body = escape_controls(value[begin : begin + room]).replace("'", "''")
    end = begin + room >= len(value)
    body = fitted(body if end else f"{body}…", room - width(length) - len(lead) - 2)
    return f"'{lead}{body}'{length}"


def _blob(value: bytes, change_at: int, room: int) -> str:
    length = f" ({len(value):,} bytes)"
    fits = max((room - len(length) - 5) // 2, 2)
    begin = max(0, change_at - 2) if change_at >= fits else 0
    lead, tail = "…" if begin else "", "…" if begin + fits < len(value) else ""
    return f"x'{lead}{value[begin : begin + fits].hex()}{tail}'{length}"


def width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


def fitted(text: str, room: int) -> str:
    """The text in at most so many columns, with an ellipsis where it was cut."""
    if width(text) <= room:
        return text
    kept, used = [], 1
    for each in text:
        used += width(each)
        if used > room:
            break
        kept.append(each)
    return "".join(kept) + "…"


class _Absent:
    """What one of two JSON values does not have."""


ABSENT = _Absent()


def _inside(before: str, after: str) -> Iterator[tuple[str, Any, Any]]:
    """The paths at which two JSON texts differ; none if one is no JSON object or list."""
    if before[:1] not in {"{", "["} or before[:1] != after[:1]:
        return
    try:
        yield from _walked("", json.loads(before), json.loads(after), 0)
    except (ValueError, RecursionError):
        return


def _walked(path: str, before: Any, after: Any, depth: int) -> Iterator[tuple[str, Any, Any]]:
    if type(before) is type(after) and depth < DEEPEST:
        if isinstance(before, dict):
            for key in [*before, *(each for each in after if each not in before)]:
                one, other = before.get(key, ABSENT), after.get(key, ABSENT)
                yield from _walked(f"{path}.{key}", one, other, depth + 1)
            return
        if isinstance(before, list):
            yield from _items(path, before, after, depth)
            return
    if type(before) is not type(after) or before != after:
        yield path, _leaf(before), _leaf(after)


def _items(path: str, before: list[Any], after: list[Any], depth: int) -> Iterator[Any]:
    """The items of two lists, past what is the same at the beginning and at the end."""
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    tails = range(1, shorter - head + 1)
    tail = next((i - 1 for i in tails if before[-i] != after[-i]), shorter - head)
    for place in range(head, max(len(before), len(after)) - tail):
        one = before[place] if place < len(before) - tail else ABSENT
        other = after[place] if place < len(after) - tail else ABSENT
        yield from _walked(f"{path}[{place}]", one, other, depth + 1)


def _leaf(value: Any) -> Any:
    """A value as JSON spells it, unless it is text, which is shown as text."""
    if value is ABSENT or isinstance(value, str):
        return value
    return StandIn(json.dumps(value, ensure_ascii=False))

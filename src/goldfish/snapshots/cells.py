"""Renders values and their changes for people: short, and without control characters."""

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

from goldfish.report.sanitize import escape_controls
from goldfish.snapshots.masks import StandIn, Value

CONTEXT = 12  # characters shown before a change
DEEPEST = 50
Told = tuple[str, str]  # where inside the value, and what


def render_value(value: Value, room: int) -> str:
    """Render a value in at most ``room`` columns; text in quotes, a blob as hex with its length."""
    if isinstance(value, bytes):
        return _render_blob(value, 0, room)
    if isinstance(value, str) and not isinstance(value, StandIn):
        return _render_text(value, 0, room)
    return fit(escape_controls("NULL" if value is None else str(value)), room)


def render_change(before: Value, after: Value, room: int) -> list[Told]:
    """Render a change: inside JSON path by path, else both values around the first difference."""
    if isinstance(before, str) and isinstance(after, str):
        inside = list(_compare_json(before, after))
        if inside:
            return [
                (path, told)
                for path, one, other in inside
                for told in _render_arrow(one, other, room)
            ]
    return [("", told) for told in _render_arrow(before, after, room)]


def _render_arrow(before: Any, after: Any, room: int) -> list[str]:
    half = max(room // 2 - 2, 8)
    one, other = _render_sides(before, after, half)
    if (
        measure_width(one) + measure_width(other) + 3 <= room
        and max(measure_width(one), measure_width(other)) < half
    ):
        return [f"{one} → {other}"]
    one, other = _render_sides(before, after, room - 2)
    return [one, f"→ {other}"]


def _render_sides(before: Any, after: Any, room: int) -> tuple[str, str]:
    if before is ABSENT or after is ABSENT:
        return tuple(  # type: ignore[return-value]
            "nothing" if each is ABSENT else render_value(each, room) for each in (before, after)
        )
    if isinstance(before, bytes) and isinstance(after, bytes):
        begin = _find_first_difference(before, after)
        return _render_blob(before, begin, room), _render_blob(after, begin, room)
    if _is_text(before) and _is_text(after):
        begin = _find_first_difference(before, after)
        return _render_text(before, begin, room), _render_text(after, begin, room)
    return render_value(before, room), render_value(after, room)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, StandIn)


def _find_first_difference(one: Any, other: Any) -> int:
    """Return the length of the common beginning, by bisection: values may be long."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _render_text(value: str, change_at: int, room: int) -> str:
    whole = escape_controls(value[: 4 * room]).replace("'", "''")
    if len(value) <= 4 * room and measure_width(whole) + 2 <= room:
        return f"'{whole}'"
    begin = max(0, change_at - CONTEXT) if change_at + CONTEXT > room else 0
    length = f" ({len(value):,} characters)" if room > 40 else ""
    lead = "…" if begin else ""
    body = escape_controls(value[begin : begin + room]).replace("'", "''")
    end = begin + room >= len(value)
    body = fit(body if end else f"{body}…", room - measure_width(length) - len(lead) - 2)
    return f"'{lead}{body}'{length}"


def _render_blob(value: bytes, change_at: int, room: int) -> str:
    length = f" ({len(value):,} bytes)"
    fits = max((room - len(length) - 5) // 2, 2)
    begin = max(0, change_at - 2) if change_at >= fits else 0
    lead, tail = "…" if begin else "", "…" if begin + fits < len(value) else ""
    return f"x'{lead}{value[begin : begin + fits].hex()}{tail}'{length}"


def measure_width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


def fit(text: str, room: int) -> str:
    """Cut the text to at most ``room`` columns, with an ellipsis where it was cut."""
    if measure_width(text) <= room:
        return text
    kept, used = [], 1
    for each in text:
        used += measure_width(each)
        if used > room:
            break
        kept.append(each)
    return "".join(kept) + "…"


class _Absent:
    """Marks what one of two JSON values does not have."""


ABSENT = _Absent()


def _compare_json(before: str, after: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the paths at which two JSON texts differ; nothing if one is no object or list."""
    if before[:1] not in {"{", "["} or before[:1] != after[:1]:
        return
    try:
        yield from _walk_json("", json.loads(before), json.loads(after), 0)
    except (ValueError, RecursionError):
        return


def _walk_json(path: str, before: Any, after: Any, depth: int) -> Iterator[tuple[str, Any, Any]]:
    if type(before) is type(after) and depth < DEEPEST:
        if isinstance(before, dict):
            for key in [*before, *(each for each in after if each not in before)]:
                one, other = before.get(key, ABSENT), after.get(key, ABSENT)
                yield from _walk_json(f"{path}.{key}", one, other, depth + 1)
            return
        if isinstance(before, list):
            yield from _compare_items(path, before, after, depth)
            return
    if type(before) is not type(after) or before != after:
        yield path, _make_leaf(before), _make_leaf(after)


def _compare_items(path: str, before: list[Any], after: list[Any], depth: int) -> Iterator[Any]:
    """Compare the items of two lists, without the common beginning and end."""
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    tails = range(1, shorter - head + 1)
    tail = next((i - 1 for i in tails if before[-i] != after[-i]), shorter - head)
    for place in range(head, max(len(before), len(after)) - tail):
        one = before[place] if place < len(before) - tail else ABSENT
        other = after[place] if place < len(after) - tail else ABSENT
        yield from _walk_json(f"{path}[{place}]", one, other, depth + 1)


def _make_leaf(value: Any) -> Any:
    """Return a value as JSON spells it; text stays text."""
    if value is ABSENT or isinstance(value, str):
        return value
    return StandIn(json.dumps(value, ensure_ascii=False))

"""Compares two states of a memory: lists of records, in order."""

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from goldfish.snapshots.by_merge import HIDDEN
from goldfish.snapshots.changes import Kind, Row, RowChange
from goldfish.snapshots.masks import Masks, StandIn, StandIns, Value
from goldfish.snapshots.state import Record, State

MADE_BY_STORES = (  # what no test can choose
    "snapshots.id",
    "snapshots.created_at=any",
    "facts.id",
    "facts.created_at=any",
    "facts.updated_at=any",
    "facts.near=any",
)
ALIGNED = 2_000  # records; longer lists are compared place by place, as aligning is quadratic


class JsonText(str):
    """A list or object as text, which is not the same as a text that looks like it."""

    __slots__ = ()


class StateComparison:
    """The comparison of two states, with what is masked in them."""

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        self._stand_ins = StandIns(masks)

    def changes(self, before: State, after: State) -> Iterator[RowChange]:
        """Yield every record that was added, removed or changed."""
        for place in sorted({*before, *after}):
            yield from self._compare_lists(place, before.get(place, []), after.get(place, []))

    def mask(self, state: State) -> State:
        """Return the state with stand-ins for masked values, as a baseline stores it."""
        return {
            place: [self._mask_record(place.partition(" ")[0], each) for each in state[place]]
            for place in sorted(state)
        }

    def _mask_record(self, kind: str, record: Record) -> Record:
        return {
            name: self._replace(kind, 0, name, value) if self._masks.mask(kind, name) else value
            for name, value in record.items()
        }

    def _compare_lists(
        self, place: str, before: list[Record], after: list[Record]
    ) -> Iterator[RowChange]:
        kind = place.partition(" ")[0]
        one, other = ([self._line(kind, each) for each in side] for side in (before, after))
        for how, begin, end, start, stop in _align(one, other):
            pairs = min(end - begin, stop - start) if how != "delete" and how != "insert" else 0
            for step in range(pairs):
                yield from self._compare_pair(place, begin + step, before, start + step, after)
            for position in range(begin + pairs, end):
                yield self._make_one_sided("removed", place, position, before[position])
            for position in range(start + pairs, stop):
                yield self._make_one_sided("added", place, position, after[position])

    def _line(self, kind: str, record: Record) -> str:
        shown = {name: record[name] for name in record if not self._masks.mask(kind, name)}
        return json.dumps(shown, sort_keys=True)

    def _compare_pair(
        self, place: str, here: int, before: list[Record], there: int, after: list[Record]
    ) -> Iterator[RowChange]:
        one, other = before[here], after[there]
        kind = place.partition(" ")[0]
        names = [*one, *(name for name in other if name not in one)]
        # Compare all of them, even after a difference: each pair of masked values is learnt from.
        same = [self._same(kind, name, one, other) for name in names]
        if all(same):
            return
        rows = self._row(kind, 0, one, names), self._row(kind, 1, other, names)
        yield RowChange("changed", place, {"position": there + 1}, *rows)

    def _same(self, kind: str, name: str, one: Record, other: Record) -> bool:
        if self._masks.hide(kind, name):
            return True
        before, after = _make_cell(one.get(name)), _make_cell(other.get(name))
        if self._masks.mask(kind, name):
            return self._stand_ins.pair(name, before, after)
        return type(before) is type(after) and before == after

    def _make_one_sided(self, how: Kind, place: str, position: int, record: Record) -> RowChange:
        side = 0 if how == "removed" else 1
        row = self._row(place.partition(" ")[0], side, record, list(record))
        sides = (row, None) if side == 0 else (None, row)
        return RowChange(how, place, {"position": position + 1}, *sides)

    def _row(self, kind: str, side: int, record: Record, names: list[str]) -> Row:
        return {name: self._replace(kind, side, name, record.get(name)) for name in names}

    def _replace(self, kind: str, side: int, name: str, value: Any) -> Value:
        if self._masks.hide(kind, name):
            return HIDDEN
        if self._masks.mask(kind, name):
            return self._stand_ins.replace(name, side, _make_cell(value))
        return _make_cell(value)


def _align(one: list[str], other: list[str]) -> list[tuple[str, int, int, int, int]]:
    head = 0
    while head < min(len(one), len(other)) and one[head] == other[head]:
        head += 1
    same = [("equal", 0, head, 0, head)]
    if len(one) == head and len(other) == head:
        return same
    if max(len(one), len(other)) - head > ALIGNED:
        return [*same, ("replace", head, len(one), head, len(other))]
    found = SequenceMatcher(None, one[head:], other[head:], autojunk=False).get_opcodes()
    rest = [(how, a + head, b + head, c + head, d + head) for how, a, b, c, d in found]
    return [*same, *rest]


def _make_cell(value: Any) -> Value:
    if isinstance(value, bool):
        return StandIn(json.dumps(value))
    if isinstance(value, dict | list):
        return JsonText(json.dumps(value, sort_keys=True, ensure_ascii=False))
    return value  # type: ignore[no-any-return]

"""Filters on metadata: validated once, then applied to every fact, the same in all stores.

``{"key": value}`` is equality: 1 equals 1.0, neither equals True or "1". ``{"key": {"$gt": 3}}``
compares numbers with numbers, times with times (also with ISO 8601 text) and text with text. A fact
without the key does not match, unless ``{"$exists": False}`` asks for just that.
"""

import copy
import operator
from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from goldfish.stores.retrieval.times import parse_time

_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS = (*_ORDERINGS, "$ne", "$exists")
_ABSENT = object()


class _Condition(NamedTuple):
    key: str
    holds: Callable[[Any], bool]


class Filter:
    """Conditions on metadata; an empty filter lets everything through.

    ``key`` is the same for filters that let the same through. ``exact`` is a name and a value that
    all metadata have which it lets through, and by which they can be looked up.
    """

    def __init__(
        self, conditions: list[_Condition], key: str, exact: tuple[str, Hashable] | None = None
    ) -> None:
        self._conditions = conditions
        self.key = key
        self.exact = exact

    def __bool__(self) -> bool:
        return bool(self._conditions)

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        """Return whether these metadata meet every condition."""
        return all(each.holds(metadata.get(each.key, _ABSENT)) for each in self._conditions)


def parse(wanted: Mapping[str, Any] | None) -> Filter:
    """Return the filter; raise an error that says what is wrong with it."""
    if wanted is None:
        return Filter([], "")
    if not isinstance(wanted, Mapping):
        raise TypeError(f'filter must be a dict like {{"key": value}}, not {_kind(wanted)}')
    conditions: list[_Condition] = []
    own: dict[str, Any] = {}
    for key, value in wanted.items():
        if not isinstance(key, str):
            raise TypeError(f"a key of the filter must be a string, not {_kind(key)}")
        try:
            own[key] = copy.deepcopy(value)
        except RecursionError:
            raise ValueError(f"the filter on {key!r:.60} is nested too deep: flatten it") from None
        conditions += [_Condition(key, holds) for holds in _parse_condition(key, own[key])]
    looked_up = ((key, as_exact(value)) for key, value in own.items())
    return Filter(conditions, repr(own), next((each for each in looked_up if each[1]), None))


def as_exact(value: Any) -> Hashable:
    """Return what only values have that equal this one; None if it can equal others, as 1 does."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return ("list", *value)
    return None


def _parse_condition(key: str, value: Any) -> list[Callable[[Any], bool]]:
    if not _has_operators(value):
        return [lambda found: is_same(found, value)]
    for name in value:
        if name not in OPERATORS:
            raise ValueError(
                f"the filter on {key!r:.60} has {name!r:.30}: use {', '.join(OPERATORS)}"
            )
    return [_parse_operator(name, operand) for name, operand in value.items()]


def _has_operators(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(k, str) and k[:1] == "$" for k in value)


def _parse_operator(name: str, operand: Any) -> Callable[[Any], bool]:
    if name == "$exists":
        if not isinstance(operand, bool):
            raise TypeError(f"$exists must be True or False, not {_kind(operand)}")
        return lambda found: (found is not _ABSENT) is operand
    if name == "$ne":
        return lambda found: found is not _ABSENT and not is_same(found, operand)
    if _as_comparable(operand, operand) is None:
        raise TypeError(f"{name} compares numbers, times or text, not {_kind(operand)}")
    compare = _ORDERINGS[name]
    return lambda found: _is_ordered(compare, found, operand)


def _is_ordered(compare: Callable[[Any, Any], bool], found: Any, operand: Any) -> bool:
    pair = _as_comparable(found, operand)
    return pair is not None and compare(*pair)


def _as_comparable(found: Any, operand: Any) -> tuple[Any, Any] | None:
    """Return both as values of one kind that has an order, or None if there is none."""
    if _is_number(found) and _is_number(operand):
        return found, operand
    if not isinstance(found, str | date) or not isinstance(operand, str | date):
        return None
    times = _as_time(found), _as_time(operand)
    if None not in times:
        return times
    return (found, operand) if isinstance(found, str) and isinstance(operand, str) else None


def is_same(found: Any, wanted: Any) -> bool:
    """Compare JSON values: True is not 1, and a time equals text that means it."""
    if isinstance(wanted, date) and isinstance(found, str | date):
        return _as_time(found) == _as_time(wanted)
    if _is_number(found) and _is_number(wanted):
        return bool(found == wanted)
    if isinstance(found, list) and isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(is_same, found, wanted))
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(is_same(found[k], wanted[k]) for k in wanted)
    return type(found) is type(wanted) and bool(found == wanted)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_time(value: str | date) -> datetime | None:
    """Return the moment; without a zone it is taken as UTC."""
    if isinstance(value, str):
        return parse_time(value)
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)


def _kind(value: Any) -> str:
    return type(value).__name__

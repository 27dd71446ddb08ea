"""The filters of facts, by the words of the small print."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any


def passes(metadata: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether metadata meet every condition of a filter."""
    for key, condition in wanted.items():
        tests = condition if _has_operators(condition) else {"$eq": condition}
        if not all(_holds(metadata, key, name, value) for name, value in tests.items()):
            return False
    return True


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda found, wanted: found > wanted,
    "$gte": lambda found, wanted: found >= wanted,
    "$lt": lambda found, wanted: found < wanted,
    "$lte": lambda found, wanted: found <= wanted,
}


def _has_operators(condition: Any) -> bool:
    return isinstance(condition, dict) and any(key.startswith("$") for key in condition)


def _holds(metadata: Mapping[str, Any], key: str, operator: str, wanted: Any) -> bool:
    if operator == "$exists":
        return (key in metadata) is wanted
    if key not in metadata:
        return False
    found, wanted = _comparable(metadata[key], wanted)
    if operator in _ORDERS:
        return _kind(found) == _kind(wanted) != "other" and _ORDERS[operator](found, wanted)
    same = _kind(found) == _kind(wanted) and bool(found == wanted)
    return same is (operator == "$eq")


def _comparable(found: Any, wanted: Any) -> tuple[Any, Any]:
    """Both, as times if one is a time and the other can be read as such."""
    if isinstance(wanted, datetime) and isinstance(found, str):
        try:
            moment = datetime.fromisoformat(found)
        except ValueError:
            return found, wanted
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC), wanted
    return found, wanted


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    kinds = {str: "text", datetime: "time", list: "list", type(None): "nothing"}
    return kinds.get(type(value), "other")

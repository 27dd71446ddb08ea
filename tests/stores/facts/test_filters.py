"""What a filter on metadata lets through."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from goldfish.stores.facts.filters import parse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("wanted", "metadata"),
    [
        ({}, {}),
        ({"a": 1}, {"a": 1.0, "b": 2}),
        ({"a": "x"}, {"a": "x"}),
        ({"a": None}, {"a": None}),
        ({"a": True}, {"a": True}),
        ({"a": [1, {"b": 2}]}, {"a": [1.0, {"b": 2}]}),
        ({"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {}}, {"a": {}}),
        ({"a": 2**53 + 1}, {"a": 2**53 + 1}),
        ({"a": {"$gt": 9}}, {"a": 10}),
        ({"a": {"$gt": 2**53}}, {"a": 2**53 + 1}),
        ({"a": {"$gte": 3, "$lt": 5}}, {"a": 4}),
        ({"a": {"$lte": 4.0}}, {"a": 4}),
        ({"a": {"$ne": 1}}, {"a": "1"}),
        ({"a": {"$exists": True}}, {"a": None}),
        ({"a": {"$exists": False}}, {"b": 1}),
        ({"a": {"$gt": NOON}}, {"a": "2026-03-01T13:30:00+01:00"}),
        ({"a": {"$lt": "2026-03-01T12:00:00Z"}}, {"a": "2026-03-01T12:30:00+01:00"}),
        ({"a": {"$gte": date(2026, 3, 1)}}, {"a": "2026-03-01"}),
        ({"a": NOON}, {"a": "2026-03-01T13:00:00+01:00"}),
        ({"a": {"$gt": "apple"}}, {"a": "pear"}),
        ({"a.b": 1, "$.x": 2, "'; --": 3}, {"a.b": 1, "$.x": 2, "'; --": 3}),
    ],
)
def test_what_matches(wanted: dict[str, Any], metadata: dict[str, Any]) -> None:
    """Numbers are compared as numbers, times as times, and keys are plain text."""
    assert parse(wanted).matches(metadata)


@pytest.mark.parametrize(
    ("wanted", "metadata"),
    [
        ({"a": 1}, {}),
        ({"a": None}, {}),
        ({"a": 1}, {"a": True}),
        ({"a": True}, {"a": 1}),
        ({"a": 1}, {"a": "1"}),
        ({"a": [1]}, {"a": [True]}),
        ({"a": "x"}, {"a": "X"}),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}),
        ({"a.b": 1}, {"a": {"b": 1}}),
        ({"a": 2**53}, {"a": 2**53 + 1}),
        ({"a": {"$gt": 9}}, {"a": "10"}),
        ({"a": {"$gt": 9}}, {"a": None}),
        ({"a": {"$gt": 0}}, {"a": True}),
        ({"a": {"$gt": 0}}, {"a": float("nan")}),
        ({"a": {"$lt": 9}}, {"b": 1}),
        ({"a": {"$ne": 1}}, {"b": 1}),
        ({"a": {"$ne": 1}}, {"a": 1.0}),
        ({"a": {"$exists": False}}, {"a": None}),
        ({"a": {"$gt": NOON}}, {"a": "yesterday"}),
        ({"a": {"$gt": NOON}}, {"a": 5}),
        ({"a": NOON}, {"a": "noon"}),
    ],
)
def test_what_does_not(wanted: dict[str, Any], metadata: dict[str, Any]) -> None:
    """Another type, another value, or no such key: not found, and never an error."""
    assert not parse(wanted).matches(metadata)


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ([("a", 1)], TypeError),
        ({1: 2}, TypeError),
        ({"a": {"$near": 1}}, ValueError),
        ({"a": {"$gt": 1, "b": 2}}, ValueError),
        ({"a": {"$gt": None}}, TypeError),
        ({"a": {"$exists": 1}}, TypeError),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(wanted: Any, error: type[Exception]) -> None:
    """A mistake is told at once, not answered with nothing."""
    with pytest.raises(error):
        parse(wanted)


def test_a_filter_is_a_copy() -> None:
    """Editing what was passed in changes nothing."""
    wanted: dict[str, Any] = {"a": [1]}
    parsed = parse(wanted)
    wanted["a"].append(2)
    assert parsed.matches({"a": [1]})
    east = timezone(timedelta(hours=2))
    assert parse({"t": datetime(2026, 3, 1, 14, tzinfo=east)}).matches({"t": "2026-03-01T12:00Z"})


def test_a_filter_that_is_nested_without_end_is_refused() -> None:
    """With a sentence, and not by the interpreter."""
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deep"):
        parse({"key": deep})

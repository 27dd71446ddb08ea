"""The comparison of messages says which path differs, and nothing where nothing does."""

from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from goldfish.catalogue.support.comparison import (
    describe_difference,
    describe_field_difference,
    parse_instant,
)
from goldfish.messages import ChatMessage

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (1, 1.0),
        (1e22, 10**22),
        (float("nan"), float("nan")),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        ((1, 2), (1, 2)),
        ({1, 2}, {2, 1}),
    ],
)
def test_equal_values_do_not_differ(given: Any, found: Any) -> None:
    """Numbers are equal by value, containers by what they hold."""
    assert describe_difference(given, found, "x") is None


@pytest.mark.parametrize(
    ("given", "found", "path"),
    [
        (True, 1, "x was"),
        (1, "1", "x was"),
        (2**53 + 1, float(2**53), "x was"),
        ({"a": {"b": 1}}, {"a": {}}, "x['a']['b'] is gone"),
        ({"a": 1}, {"a": 1, "c": 2}, "x['c'] is there"),
        ([1, [2, 3]], [1, [2, 4]], "x[1][1] was 3"),
        ((1, 2), [1, 2], "x was (1, 2)"),
        (b"a", "a", "x was"),
        ({1: "a"}, {"1": "a"}, "x[1] is gone"),
    ],
)
def test_a_difference_names_its_path(given: Any, found: Any, path: str) -> None:
    """The evidence says where, not only that."""
    assert (describe_difference(given, found, "x") or "").startswith(path)


def test_a_value_that_holds_itself_is_compared_once() -> None:
    """A circle does not send the comparison round for ever."""
    given: dict[str, Any] = {"a": 1}
    given["self"] = given
    found: dict[str, Any] = {"a": 1}
    found["self"] = found
    assert describe_difference(given, found, "x") is None


def test_a_moment_is_one_instant_in_every_form() -> None:
    """A zone, an ISO text and seconds since 1970 can all say the same; without a zone none can."""
    east = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert (
        parse_instant(east)
        == parse_instant(east.isoformat())
        == parse_instant(NOON.timestamp())
        == NOON
    )
    assert parse_instant(NOON.replace(tzinfo=None)) is None
    assert parse_instant("yesterday") is None


@pytest.mark.parametrize("back", [{}, {"name": None, "metadata": None, "tool_calls": ()}])
def test_what_is_absent_may_be_left_out(back: Any) -> None:
    """A library's own message need not have every field."""
    plain = ChatMessage(role="user", content="hello")
    assert not any(describe_field_difference(plain, back, name) for name in ("name", "metadata"))
    assert describe_field_difference(plain, back, "tool_calls") is None


def test_what_is_absent_does_not_become_a_text() -> None:
    """None is neither an empty name nor one that is called None."""
    plain = ChatMessage(role="user", content="hello")
    for name in ("", "None"):
        assert describe_field_difference(plain, SimpleNamespace(name=name), "name")

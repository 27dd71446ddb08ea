"""What crosses to another process and back."""

from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from goldfish.harness.wire import pack, unpack
from goldfish.messages import ChatMessage, Fact, Recollection, Snapshot


@dataclass
class Checkpoint:
    """Somebody's own snapshot."""

    id: int
    label: str = "before"


@pytest.mark.parametrize(
    "value",
    [
        None,
        "a\ud800\0 text",
        [1, 2.5, True, {"key": [None]}],
        datetime(2026, 11, 16, 3, 4, 5, 678901, UTC),
        datetime(2026, 11, 16, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        ChatMessage(role="user", content="hello", metadata={"a": 1}),
        [UUID(int=7), b"1700-0", Decimal("1.50"), timedelta(seconds=1.5)],
    ],
)
def test_values_come_back_as_they_went(value: Any) -> None:
    """Plain values, ids of any type, times with their zone, and messages."""
    assert unpack(pack(value)) == value


def test_objects_come_back_as_their_fields() -> None:
    """Ours or a library's own: known by the names that they have, and no others."""
    snapshot = Snapshot(id="s", session_id="chat", label="before", message_count=3)
    assert unpack(pack([snapshot])) == [dict(snapshot)]
    assert unpack(pack(Checkpoint(7))) == {"id": 7, "label": "before"}
    found = Recollection(fact=Fact(id="f", user_id="ann", text="likes tea"), score=0.5)
    assert unpack(pack(found)) == {"fact": dict(found.fact), "score": 0.5, "why": {}}


def test_what_is_unknown_comes_back_as_its_description() -> None:
    """A value that JSON cannot say is told, not refused."""
    assert unpack(pack(Ellipsis)) == "Ellipsis"


def test_numbers_and_lists_of_any_library_come_back_as_such() -> None:
    """As in the harness's own process."""
    numpy = pytest.importorskip("numpy")
    assert unpack(pack([numpy.int64(7), numpy.float32(0.5)])) == [7, 0.5]
    assert unpack(pack([deque([1, 2]), {"a": 1}.values(), range(2)])) == [[1, 2], [1], [0, 1]]

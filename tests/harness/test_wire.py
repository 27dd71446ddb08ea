"""What crosses to another process and back."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

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
    ],
)
def test_values_come_back_as_they_went(value: Any) -> None:
    """Plain values, times with their zone, and messages."""
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
    assert unpack(pack(range(3))) == "range(0, 3)"

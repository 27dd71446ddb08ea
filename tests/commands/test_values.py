"""Values on their way to a command and back."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from goldfish import ChatMessage
from goldfish.commands.values import decode_answer, encode_line, encode_parameters
from goldfish.errors import UnstorableError

MOMENT = datetime(2026, 3, 1, 12, 30, 15, 123457, tzinfo=UTC)


def test_a_message_has_all_its_fields_and_its_time_as_text() -> None:
    """As JSON in ASCII, on one line whatever its text holds."""
    message = ChatMessage(role="user", content="a\u2028b\r\n\ud800 🐟", id="1", created_at=MOMENT)
    line = encode_line(encode_parameters({"messages": (message,)}, doubles=False))
    assert line.isascii()
    assert line.count(b"\n") == 1
    (found,) = json.loads(line)["messages"]
    assert set(found) == set(ChatMessage.model_fields)
    assert found["content"] == message.content
    assert found["created_at"] == "2026-03-01T12:30:15.123457+00:00"


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1: 2}, {"x": object()}, "\ud83d\udc1f", {"t": (1,)}]
)
def test_what_json_does_not_give_back_is_refused(value: Any) -> None:
    """Before anything is sent."""
    with pytest.raises(UnstorableError):
        encode_line(encode_parameters({"values": value}, doubles=False))


def test_large_integers_travel_as_text_where_numbers_are_doubles() -> None:
    """And come back as integers; smaller ones and texts are left alone."""
    given = {"large": 2**53 + 1, "list": [-(2**63)], "small": 2**53 - 1, "text": "12n", "yes": True}
    sent = encode_parameters({"values": given}, doubles=True)["values"]
    assert sent["large"] == "9007199254740993n"
    assert (sent["small"], sent["text"], sent["yes"]) == (2**53 - 1, "12n", True)
    assert decode_answer("get_state", sent, doubles=True) == given


@pytest.mark.parametrize(
    ("method", "answer", "path"),
    [
        ("get_history", [{"created_at": MOMENT.isoformat()}], (0, "created_at")),
        (
            "recall",
            [{"fact": {"updated_at": "2026-03-01T12:30:15.123457Z"}}],
            (0, "fact", "updated_at"),
        ),
        (
            "search_history",
            [{"message": {"created_at": MOMENT.isoformat()}}],
            (0, "message", "created_at"),
        ),
    ],
)
def test_times_come_back_as_times(method: str, answer: Any, path: tuple[Any, ...]) -> None:
    """Wherever the objects of a method have them."""
    found = decode_answer(method, answer, doubles=False)
    for step in path:
        found = found[step]
    assert found == MOMENT


def test_a_value_of_a_session_is_not_taken_for_a_time() -> None:
    """Its names are the user's."""
    state = {"created_at": MOMENT.isoformat()}
    assert decode_answer("get_state", state, doubles=False) == state

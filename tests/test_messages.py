"""The values that stores keep."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from goldfish import ChatMessage, Fact, Found, Recollection, Snapshot
from goldfish.messages import new_id


def test_only_the_essential_fields_are_required() -> None:
    """Everything else has a default."""
    message = ChatMessage(role="user", content="hi")
    fact = Fact(id="f", user_id="u", text="likes tea")
    assert (message.tool_calls, message.metadata, message.name) == ([], {}, None)
    assert (fact.times_seen, fact.near) == (1, [])
    assert Recollection(fact=fact).why == {}
    assert Found(session_id="s", message=message).score == 0.0
    assert Snapshot(id="x", session_id="s").message_count == 0


def test_values_are_equal_by_value_and_frozen() -> None:
    """Two messages with the same fields are the same message."""
    fields = {"role": "user", "content": "x", "id": "1", "created_at": datetime.now(UTC)}
    one, other = ChatMessage.model_validate(fields), ChatMessage.model_validate(fields)
    assert one == other
    assert len({one, other}) == 1
    with pytest.raises(ValidationError, match="frozen"):
        one.role = "tool"


def test_a_naive_time_is_refused() -> None:
    """A time without a zone means something else on the next machine."""
    with pytest.raises(ValidationError, match="timezone"):
        ChatMessage(role="user", content="x", created_at=datetime(2026, 1, 1))


def test_lone_surrogates_and_nul_are_text() -> None:
    """Any string that a Python program can hold is allowed."""
    assert ChatMessage(role="user", content="\ud800\0").content == "\ud800\0"


def test_an_unknown_field_is_refused() -> None:
    """A typing mistake does not silently lose a field."""
    with pytest.raises(ValidationError, match="tool_cals"):
        ChatMessage.model_validate({"role": "user", "content": "x", "tool_cals": []})


def test_new_ids_are_unique_and_look_like_uuid_7() -> None:
    """They carry the version and the variant, and their time sorts them."""
    ids = [new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(len(each) == 32 and each[12] == "7" and each[16] in "89ab" for each in ids)
    assert [each[:12] for each in ids] == sorted(each[:12] for each in ids)

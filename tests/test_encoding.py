"""Messages to JSON and back."""

import copy
import json
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldfish import ChatMessage, MemoryStoreBackendError
from goldfish.encoding import (
    decode_messages,
    decode_time,
    decode_value,
    encode_ascii,
    encode_message,
    encode_time,
    encode_value,
)

halves = st.sampled_from("\ud83d\ude00\ud800\udbff\udc00\udfff😀\\/u")
any_text = st.text(st.characters() | halves)  # surrogates included, and pairs of them
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)
parts = st.lists(st.dictionaries(any_text, any_json, max_size=3), max_size=3)
zones = st.sampled_from([UTC, ZoneInfo("Asia/Kolkata"), timezone(timedelta(minutes=-570))])
messages = st.builds(
    ChatMessage,
    role=any_text,
    content=any_text | parts,
    id=any_text,
    created_at=st.datetimes(timezones=zones),
    name=st.none() | any_text,
    tool_calls=parts,
    tool_call_id=st.none() | any_text,
    metadata=st.dictionaries(any_text, any_json, max_size=3),
)


@given(st.lists(messages, max_size=4))
def test_whatever_goes_in_comes_out_equal(batch: list[ChatMessage]) -> None:
    """Any text, any JSON value, any zone; as text and as bytes."""
    bodies = [encode_message(message) for message in batch]
    assert decode_messages(bodies) == batch
    assert decode_messages([body.encode() for body in bodies]) == batch


@given(any_json)
def test_a_value_comes_back_equal_from_either_text(value: object) -> None:
    """What is not ASCII is written as it is, or as an escape; half a character only so."""
    for text in (encode_value(value), encode_ascii(value)):
        assert decode_value(text) == decode_value(text.encode()) == value
    assert encode_ascii(value).isascii()


@given(any_text)
def test_a_text_without_a_split_pair_is_written_as_it_always_was(text: str) -> None:
    """So names and ids that were stored before are found."""
    written = json.dumps(text)
    if json.loads(written) == text:
        assert encode_ascii(text) == written
        assert encode_value(text) in (written, json.dumps(text, ensure_ascii=False))
    else:
        assert encode_ascii(text) == encode_value(text) != written


def test_a_pair_that_was_stored_as_one_character_stays_one() -> None:
    """Texts of before, in which the two cannot be told apart, are read as before."""
    assert decode_value(r'"\ud83d\ude00 \ud83d"') == "😀 \ud83d"


def test_a_decoded_message_is_a_message_like_any_other() -> None:
    """It validates, dumps, copies and hashes as one that was constructed."""
    message = ChatMessage(role="user", content="x", metadata={"a": 1})
    (back,) = decode_messages([encode_message(message)])
    assert back.model_dump() == message.model_dump()
    assert back.model_copy(update={"content": "y"}).content == "y"
    assert copy.deepcopy(back) == message
    assert hash(back) == hash(message)
    assert ChatMessage.model_validate(back.model_dump()) == message
    with pytest.raises(ValueError, match="frozen"):
        back.content = "z"


def test_the_text_is_plain_json_that_names_its_fields() -> None:
    """People can read what is stored, and defaults take no room."""
    body = encode_message(ChatMessage(role="user", content="héllo", id="1"))
    record = json.loads(body)
    assert list(record) == ["id", "role", "content", "created_at"]
    assert "héllo" in body


@pytest.mark.parametrize("fold", [0, 1])
def test_the_hour_that_comes_twice_is_told_apart(fold: int) -> None:
    """The offset says which of the two it was, the zone's name stays."""
    moment = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=fold)
    back = decode_time(encode_time(moment))
    assert (back.utcoffset(), back.tzinfo) == (moment.utcoffset(), moment.tzinfo)


def test_an_unknown_zone_falls_back_to_its_offset() -> None:
    """A machine without that zone still has the moment."""
    back = decode_time("2026-10-25T02:30:00+01:00[Mars/Olympus]")
    assert back.isoformat() == "2026-10-25T02:30:00+01:00"


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '{"role": "user"}', '{"id": 1}}'])
def test_damage_is_an_error(body: str) -> None:
    """What was not written by us is never a message, nor silence."""
    with pytest.raises(MemoryStoreBackendError, match="damaged"):
        decode_messages([body])

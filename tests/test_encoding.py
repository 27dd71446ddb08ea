"""Messages to JSON and back."""

import copy
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldfish import ChatMessage, MemoryStoreBackendError, encoding
from goldfish.encoding import (
    _parse_quickly,
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


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the machine may be busy
@given(st.lists(messages, max_size=4))
def test_whatever_goes_in_comes_out_equal(batch: list[ChatMessage]) -> None:
    """Any text, any JSON value, any zone; as text and as bytes, few messages and many."""
    bodies = [encode_message(message) for message in batch]
    assert decode_messages(bodies) == batch
    assert decode_messages([body.encode() for body in bodies]) == batch
    assert spell(decode_messages(bodies * 20)) == spell(decode_messages(bodies)) * 20


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


NUMBERS = [
    "0", "-0", "-0.0", "1.0", "1E5", "0.1", "5e-324", "2.2250738585072011e-308", "1e-400", "1e400",
    "9007199254740993", "9007199254740993.0", "0.30000000000000004441", "1.7976931348623159e308",
    "18446744073709551615", "18446744073709551616", "-9223372036854775809", "1" * 400, "NaN",
    "Infinity", "-Infinity",
]  # fmt: skip
VALUES = [
    *NUMBERS,
    r'"\ud800"', r'"\udc00x"', r'"\ud83d\ude00"', r'"\ud83d\/\ude00"', r'"a\/b"', r'"\u0000"',
    '"\x7f\u2028\ufeff"', '"😀"', "true", "null", "[]", "{}", '{"a":1,"b":2,"a":3.0}',
    "[" * 90 + "]" * 90, " [ 1 , 2 ] ",
]  # fmt: skip
DAMAGE = ["01", "1.", ".5", "tru", '"\t"', '"\x01"', "[1,]", "{]", "", '"\\x"', "1" * 5000, "1}{"]
TIMES = [
    "2026-01-02T03:04:05.123456+00:00", "2026-01-02T03:04:05+05:30", "0001-01-01T00:00:00+00:00",
    "9999-12-31T23:59:59.999999-23:59", "2026-01-02T03:04:05+05:30:15", "2026-01-02T03:04:05Z",
    "2026-10-25T02:30:00+01:00[Europe/Berlin]", "2026-10-25T02:30:00+01:00[Mars/Olympus]",
]  # fmt: skip


@pytest.fixture
def without_msgspec(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let an import of msgspec fail, as where it is not installed."""
    monkeypatch.setitem(sys.modules, "msgspec", None)
    encoding._find_parser.cache_clear()
    yield
    encoding._find_parser.cache_clear()


def write(metadata: str = "{}", created_at: str = TIMES[0]) -> str:
    return (
        f'{{"id":"m","role":"user","content":"x","created_at":"{created_at}",'
        f'"metadata":{{"v":{metadata}}}}}'
    )


def enough(body: str) -> list[str]:
    """Return as many as are worth the faster parser."""
    return [body] * 30


def spell(found: list[ChatMessage]) -> list[str]:
    """Return all that can be seen of messages: 1 is not 1.0, nor 0.0 the same as -0.0."""
    fields = [sorted(message.model_dump().items()) for message in found]
    return [
        f"{type(m)} {each!r} {sorted(m.model_fields_set)}"
        for m, each in zip(found, fields, strict=True)
    ]


BODIES = [*(write(value) for value in VALUES), *(write(created_at=each) for each in TIMES)]


@pytest.mark.parametrize("body", BODIES)
def test_a_message_is_the_same_by_the_parser_for_few_and_by_that_for_many(body: str) -> None:
    """A few messages are never parsed by msgspec; many are, as far as it gives the same."""
    (one,) = decode_messages([body])
    assert spell(decode_messages(enough(body))) == spell([one]) * 30
    assert spell(decode_messages([each.encode() for each in enough(body)])) == spell([one]) * 30


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.usefixtures("without_msgspec")
def test_a_message_is_the_same_where_msgspec_is_not_installed(body: str) -> None:
    """The parsers that are always there give the same, however many messages there are."""
    assert _parse_quickly("[]") is None
    (one,) = decode_messages([body])
    assert spell(decode_messages(enough(body))) == spell([one]) * 30


@pytest.mark.parametrize("body", [*map(write, DAMAGE), "", "{", "[]", "null", '{"role": "user"}'])
def test_damage_among_many_is_an_error(body: str) -> None:
    """What one parser refuses is not made up by another."""
    with pytest.raises(MemoryStoreBackendError, match="damaged"):
        decode_messages([*enough(write()), body])


def test_two_messages_in_the_place_of_one_are_an_error() -> None:
    """A comma between two objects does not make a history longer."""
    with pytest.raises(MemoryStoreBackendError, match="damaged"):
        decode_messages([*enough(write()), f"{write()},{write()}"])


def test_fields_that_nobody_knows_are_left_out() -> None:
    """A later version may write more; what is empty is made anew for each message."""
    body = json.dumps({**json.loads(write()), "mood": "blue"})
    first, second, *_ = decode_messages(enough(body))
    assert first == second == decode_messages([body])[0]
    assert first.tool_calls is not second.tool_calls
    assert first.metadata is not second.metadata


def test_msgspec_parses_what_our_stores_usually_hold() -> None:
    """So the tests above compare two parsers."""
    assert _parse_quickly(f"[{write()}]") is not None

"""Records that msgspec parses, against those of the parsers that are always there."""

import json
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldfish import ChatMessage, MemoryStoreBackendError, records
from goldfish.encoding import decode_messages, encode_message
from goldfish.records import parse_records
from tests.test_encoding import messages

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
    records._find_parser.cache_clear()
    yield
    records._find_parser.cache_clear()


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
    assert parse_records("[]") is None
    (one,) = decode_messages([body])
    assert spell(decode_messages(enough(body))) == spell([one]) * 30


@given(st.lists(messages, min_size=1, max_size=3))
def test_whatever_goes_in_comes_out_equal_among_many(batch: list[ChatMessage]) -> None:
    """Any text, any JSON value, any zone."""
    bodies = [encode_message(message) for message in batch]
    alone = [one for body in bodies for one in decode_messages([body])]
    assert alone == batch
    assert spell(decode_messages(bodies * 20)) == spell(alone) * 20


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
    assert parse_records(f"[{write()}]") is not None

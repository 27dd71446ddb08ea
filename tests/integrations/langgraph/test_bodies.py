"""Records as JSON texts: what was written or read last is known again."""

import pytest

pytest.importorskip("langgraph.checkpoint.base")

from goldfish import ChatMessage
from goldfish.encoding import decode_messages
from goldfish.integrations.langgraph.bodies import MOST, SMALL, decode, encode
from goldfish.integrations.langgraph.records import (
    Contents,
    Entry,
    Segment,
    Write,
    make_stands_message,
    make_writes_message,
)

VALUE = ("msgpack", b"x" * 100)
CONTENTS = Contents.make(VALUE, VALUE, {"log \ud800": [("token", 1, 2)]}, in_order=True)


def records() -> list[ChatMessage]:
    """One of each kind."""
    return [
        Entry("c1", None, "run", True, CONTENTS).to_message(),
        Entry("c1", "c0", None, False, CONTENTS).to_message(again=True),
        Segment("token", ("before", 3), (VALUE, ("null", b""))).to_message("c1"),
        make_writes_message("c1", [Write("task", -1, "channel", "path", VALUE)]),
        make_stands_message("c1"),
    ]


def test_what_was_written_is_known_as_others_read_it() -> None:
    """It is not parsed again, and nothing about it differs."""
    written = records()
    bodies = [body for _, body in encode(written)]
    found = decode(bodies)
    assert all(one is other for one, other in zip(found, written, strict=True))
    assert found == decode_messages(bodies) == decode([each.encode() for each in bodies])
    assert [each.model_fields_set for each in found] == [
        each.model_fields_set for each in decode_messages(bodies)
    ]


def test_only_the_last_and_small_are_remembered() -> None:
    """So threads that are many or large take no more memory."""
    (first,) = [body for _, body in encode(records()[:1])]
    assert decode([first])[0] is decode([first])[0]
    large = ChatMessage(role="writes", content="x" * SMALL)
    ((_, body),) = encode([large])
    assert decode([body]) == [large]
    assert decode([body])[0] is not large
    for number in range(MOST):
        encode([ChatMessage(role="writes", content=str(number))])
    assert decode([first])[0].role == "checkpoint"

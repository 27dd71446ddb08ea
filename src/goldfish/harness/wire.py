"""Values between the harness and its pods, as lines of JSON."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple
from uuid import UUID

from goldfish.encoding import decode_messages, decode_value, encode_message, encode_value
from goldfish.messages import ChatMessage, Fact, Recollection, Snapshot

# By which attribute an object, ours or a library's own, is known for what it is, and its fields.
KINDS = {
    "content": tuple(ChatMessage.model_fields),
    "fact": tuple(Recollection.model_fields),
    "text": tuple(Fact.model_fields),
    "id": tuple(Snapshot.model_fields),
}


def _read_span(seconds: str) -> timedelta:
    return timedelta(seconds=float(seconds))


class _Way(NamedTuple):
    """How a value that JSON does not know becomes a text, and comes back as what it was."""

    kind: type[Any]
    write: Callable[[Any], str]
    read: Callable[[str], Any]


# What a memory may number, date or measure by; an id that changes on its way serves nobody.
WAYS = {
    "$time": _Way(datetime, datetime.isoformat, datetime.fromisoformat),
    "$span": _Way(timedelta, lambda span: repr(span.total_seconds()), _read_span),
    "$uuid": _Way(UUID, str, UUID),
    "$bytes": _Way(bytes, bytes.hex, bytes.fromhex),
    "$decimal": _Way(Decimal, str, Decimal),
}


def pack(value: Any) -> bytes:
    """Return the value as a line; what JSON does not know travels as its description."""
    return encode_value(_to_plain(value)).encode() + b"\n"


def unpack(line: bytes) -> Any:
    """Return the value that a line carries."""
    return _from_plain(decode_value(line))


def _to_plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Integral):  # of numpy
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, ChatMessage):
        return {"$message": _encode_message(value)}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"$dict": {key: _to_plain(each) for key, each in value.items()}}
    if isinstance(value, list | tuple | set | frozenset):
        return [_to_plain(each) for each in value]
    for mark, way in WAYS.items():
        if isinstance(value, way.kind):
            return {mark: way.write(value)}
    for mark, fields in KINDS.items():
        if hasattr(value, mark):
            there = [name for name in fields if hasattr(value, name)]
            return {"$dict": {name: _to_plain(getattr(value, name)) for name in there}}
    if isinstance(value, Iterable):  # as a view of a dict, or a deque
        return [_to_plain(each) for each in value]
    return {"$repr": repr(value)[:200]}


def _encode_message(message: ChatMessage) -> str:
    try:
        return encode_message(message)
    except ValueError:
        return encode_message(message.model_copy(update={"metadata": {"$repr": "unstorable"}}))


def _from_plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "$message" in value:
        return decode_messages([value["$message"]])[0]
    if "$dict" in value:
        return {key: _from_plain(each) for key, each in value["$dict"].items()}
    for mark, way in WAYS.items():
        if mark in value:
            return way.read(value[mark])
    return value.get("$repr")

"""Values of a memory as the JSON of the protocol, and back."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from goldfish.encoding import refuse_unstorable
from goldfish.errors import UnstorableError
from goldfish.messages import ChatMessage

TIMES = ("created_at", "updated_at")
# What the answers of these methods are made of: the path to each object that has times.
WITH_TIMES = {
    *("get_history", "search_history", "remember", "recall", "list_facts", "get_fact", "revise"),
    *("fact_history", "list_snapshots"),
}
INSIDE = ("message", "fact")  # of what was found, of what was recalled
LARGEST = 2**53 - 1  # that a double tells from its neighbours
_AS_TEXT = re.compile(r"-?[0-9]{16,}n")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def encode_line(value: Any) -> bytes:
    """Return the value as a line of JSON in ASCII, which no reader of lines cuts in two."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    except ValueError:
        raise UnstorableError("JSON has no NaN and no infinity: convert it to text") from None


def encode_parameters(parameters: Mapping[str, Any], *, doubles: bool) -> dict[str, Any]:
    """Return the parameters of a call as JSON has them; refuse what JSON does not give back.

    With ``doubles``, integers beyond 2**53 travel as text: ``"9007199254740993n"``.
    """
    made = {name: _encode(value, name) for name, value in parameters.items()}
    _refuse_split_pairs(made)
    return _map_numbers(made, _number_to_text) if doubles else made


def decode_answer(method: str, answer: Any, *, doubles: bool) -> Any:
    """Return the answer of a method, with times as datetimes."""
    if doubles:
        answer = _map_numbers(answer, _text_to_number)
    if method not in WITH_TIMES:
        return answer
    return [_decode(each) for each in answer] if isinstance(answer, list) else _decode(answer)


def _encode(value: Any, where: str) -> Any:
    if isinstance(value, ChatMessage):
        return _encode_message(value)
    if isinstance(value, Mapping):
        plain = dict(value)
        refuse_unstorable(plain, where)
        return plain
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_encode(each, where) for each in value]
    refuse_unstorable(value, where)
    return value


def _encode_message(message: ChatMessage) -> dict[str, Any]:
    made = {name: getattr(message, name) for name in ChatMessage.model_fields}
    made["created_at"] = message.created_at.isoformat()
    for name in ("content", "tool_calls", "metadata"):
        refuse_unstorable(made[name], name)
    return made


def _decode(record: Any) -> Any:
    """Return a message, a fact or a snapshot, or what holds one, with its times as datetimes."""
    if not isinstance(record, dict):
        return record
    made = {key: _decode(each) if key in INSIDE else each for key, each in record.items()}
    for name in TIMES:
        if isinstance(made.get(name), str):
            made[name] = _decode_time(made[name])
    return made


def _decode_time(text: str) -> Any:
    try:
        return datetime.fromisoformat(text)
    except ValueError:  # it stays what it is, for the checks to tell
        return text


def _refuse_split_pairs(value: Any) -> None:
    """Refuse two surrogates that a reader of JSON would join into one character."""
    for each in _list_texts(value):
        if _PAIR.search(each):
            raise UnstorableError("JSON joins two surrogates into one character: send that instead")


def _list_texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _list_texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _list_texts(each)


def _map_numbers(value: Any, change: Any) -> Any:
    if isinstance(value, dict):
        return {key: _map_numbers(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [_map_numbers(each, change) for each in value]
    return change(value)


def _number_to_text(value: Any) -> Any:
    return f"{value}n" if type(value) is int and abs(value) > LARGEST else value


def _text_to_number(value: Any) -> Any:
    return int(value[:-1]) if isinstance(value, str) and _AS_TEXT.fullmatch(value) else value

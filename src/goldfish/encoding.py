"""Messages as JSON texts, and back without any loss: the one format that every store writes.

Pydantic's own JSON is not used: its writer refuses lone surrogates and its reader turns a named
time zone into an offset. The reader here builds messages without validating them again, because
it only reads what the writer wrote; that makes it faster than bare ``json.loads``.

msgspec parses most, where it is installed: it makes times and empty fields on the way, without a
line of Python for each message. What it answers is what ``json`` would: integers of any length,
floats to the last bit, the last of two equal keys. What it would not give back as it was (lone
surrogates, NaN, a named zone) it refuses.

UTF-8 has no surrogates, so they are written as escapes. Two of them that form a pair would be read
as one character: ``\\/``, an escape that is used for nothing else here, keeps them apart.
"""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache, lru_cache
from itertools import repeat
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Annotated, Any, TypeVar, cast
from zoneinfo import ZoneInfo

from pydantic import BaseModel
from pydantic_core import from_json

from goldfish.errors import MemoryStoreBackendError, UnstorableError
from goldfish.messages import ChatMessage

MAX_DEPTH = 100
PARSED_TOGETHER = 100
MOST_INSIDE = 10_000  # values at one depth of a value that is looked at quickly
WORTH_IMPORTING = 20  # messages, below which the import of a faster parser takes longer

Model = TypeVar("Model", bound=BaseModel)
Record = dict[str, Any]  # the fields of a message

_ONLY_TEXT = frozenset({str})
_SCALARS = frozenset({str, float, bool, type(None)})
_LONG = 1 << 64
_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_WITHIN_PAIR = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7e]+")
_ESCAPE = re.compile(r"\\(?:/\\u(d[c-f][0-9a-f]{2})|.)", re.DOTALL)


def encode_message(message: ChatMessage) -> str:
    """Return the message as one line of JSON that is always valid UTF-8."""
    return _escape_surrogates(_assemble(message))


def encode_batch(messages: Iterable[ChatMessage]) -> list[tuple[str, str]]:
    """Return the (id, JSON) pairs of a batch; raise before anything is written."""
    rows = [(message.id, encode_message(message)) for message in messages]
    if len({key for key, _ in rows}) != len(rows):
        raise UnstorableError("a batch holds the same message id twice: give each message its own")
    return rows


def encode_value(value: Any) -> str:
    """Return the value as one line of JSON that is always valid UTF-8: surrogates are escaped."""
    return _escape_surrogates(_dump(value))


def encode_ascii(value: Any) -> str:
    """Return the value as one line of JSON in ASCII; two values never have the same text."""
    return _escape_to_ascii(_dump(value))


def decode_value(text: str | bytes) -> Any:
    """Return the value that was encoded as this JSON text."""
    plain = text if isinstance(text, str) else text.decode()
    return json.loads(_split_pairs(plain) if "\\/" in plain else plain)


def decode_messages(bodies: Sequence[str] | Sequence[bytes]) -> list[ChatMessage]:
    """Return the messages that were encoded as these JSON texts."""
    starts = range(0, len(bodies), PARSED_TOGETHER)
    return decode_parts(bodies[start : start + PARSED_TOGETHER] for start in starts)


def decode_parts(parts: Iterable[Sequence[str] | Sequence[bytes]]) -> list[ChatMessage]:
    """Return the messages of a history whose JSON texts come a few at a time.

    ``PARSED_TOGETHER`` is a good number: more would not fit into the processor's caches, and the
    memory of one part is used again by the next.
    """
    messages: list[ChatMessage] = []
    try:
        for bodies in parts:
            messages += _build(_parse(bodies))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MemoryStoreBackendError(
            f"a stored message is damaged ({error}): restore the data from a backup"
        ) from error
    return messages


def _parse(bodies: Sequence[str] | Sequence[bytes]) -> list[Record]:
    """Parse messages by one call of the fastest parser that gives them back as they were."""
    comma: Any = "," if isinstance(bodies[0], str) else b","
    joined = comma.join(bodies)
    joined = f"[{joined}]" if isinstance(joined, str) else b"[%b]" % joined
    records = _parse_quickly(joined) if len(bodies) >= WORTH_IMPORTING else None
    if records is None:
        records = _parse_plainly(joined)
    if len(records) != len(bodies):
        raise ValueError("it is not one JSON object")
    return records


def _parse_quickly(text: str | bytes) -> list[Record] | None:
    """Return the messages in a JSON array; None if msgspec refuses them or is not installed."""
    parse = _find_parser()
    if parse is None:
        return None
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return None


@cache
def _find_parser() -> Callable[[str | bytes], list[Record]] | None:
    """Return msgspec's parser of messages; imported late, for those who read little."""
    try:
        from msgspec import Meta, defstruct
        from msgspec.json import Decoder
        from msgspec.structs import asdict
    except ImportError:
        return None
    stored = defstruct(
        "Stored",
        [
            ("role", Any),
            ("content", Any),
            ("id", Any),
            ("created_at", Annotated[datetime, Meta(tz=True)]),
            ("name", Any, None),
            ("tool_calls", Any, []),
            ("tool_call_id", Any, None),
            ("metadata", Any, {}),
        ],
        gc=False,
    )
    decode = Decoder(list[stored]).decode  # type: ignore[valid-type] # it is made here
    return lambda text: list(map(asdict, decode(text)))


def _parse_plainly(joined: str | bytes) -> list[Record]:
    """Parse messages with pydantic's parser, or with the one that knows surrogates."""
    try:
        records = from_json(joined, cache_strings="keys")
    except ValueError:
        records = decode_value(joined)
    _complete_all(records)
    return cast(list[Record], records)


def _assemble(message: ChatMessage) -> str:
    """Return the JSON text, with surrogates in it as they are."""
    quote = encode_basestring
    content = message.content
    if isinstance(content, str):
        encoded = quote(content)
    else:
        refuse_unstorable(content, "content")
        encoded = _dump(content)
    text = (
        f'{{"id":{quote(message.id)},"role":{quote(message.role)},"content":{encoded},'
        f'"created_at":"{encode_time(message.created_at)}"'
    )
    if message.name is not None:
        text += f',"name":{quote(message.name)}'
    if message.tool_call_id is not None:
        text += f',"tool_call_id":{quote(message.tool_call_id)}'
    if message.tool_calls:
        refuse_unstorable(message.tool_calls, "tool_calls")
        text += f',"tool_calls":{_dump(message.tool_calls)}'
    if message.metadata:
        refuse_unstorable(message.metadata, "metadata")
        text += f',"metadata":{_dump(message.metadata)}'
    return text + "}"


_FIELDS = set(ChatMessage.model_fields)
# The model is frozen, and these are the ways past that: a slot's own setter is the fastest.
_set_fields = BaseModel.__dict__["__dict__"].__set__
_set_fields_set = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
_run_through = deque[None](maxlen=0).extend


def build(model: type[Model], fields: dict[str, Any]) -> Model:
    """Build a value without validation: the fields are known to be right, and all there."""
    made = model.__new__(model)
    _set_fields(made, fields)
    _set_fields_set(made, set(fields))
    _set_extra(made, None)
    _set_private(made, None)
    return made


def _build(records: list[Record]) -> list[ChatMessage]:
    """Build messages of records, which become part of them.

    A long history spends most of its time here, so there is no call that is not needed, and what
    is done to every message is done by loops that are not Python's.
    """
    messages = list(map(ChatMessage.__new__, repeat(ChatMessage, len(records))))
    _run_through(map(_set_fields, messages, records))
    _run_through(map(_set_fields_set, messages, repeat(_FIELDS)))
    _run_through(map(_set_extra, messages, repeat(None)))
    _run_through(map(_set_private, messages, repeat(None)))
    return messages


def _complete_all(records: list[Record], *, read_time: Any = datetime.fromisoformat) -> None:
    """Read the times of records, and add the fields that are not written when they are empty."""
    for record in records:
        record["role"]  # a KeyError if the record is not ours
        record["content"]
        record["id"]
        try:
            record["created_at"] = read_time(record["created_at"])
        except ValueError:  # it names its zone, as others may
            read_time = decode_time
            record["created_at"] = decode_time(record["created_at"])
        if len(record) == 4:
            record["name"] = record["tool_call_id"] = None
            record["tool_calls"] = []
            record["metadata"] = {}
        else:
            _complete(record)


def _complete(record: Record) -> None:
    """Add the fields that are not written when they are empty; drop unknown ones."""
    for key in record.keys() - _FIELDS:
        del record[key]
    absent: Record = {"name": None, "tool_call_id": None, "tool_calls": [], "metadata": {}}
    for key in absent.keys() - record.keys():
        record[key] = absent[key]


def encode_time(moment: datetime) -> str:
    """Return ISO 8601 with the offset, and the zone's name in brackets (RFC 9557) if it has one."""
    zone = moment.tzinfo
    if isinstance(zone, ZoneInfo) and zone.key:
        return f"{moment.isoformat()}[{zone.key}]"
    return moment.isoformat()


def decode_time(text: str) -> datetime:
    """Return the moment that was encoded, in its zone."""
    if text[-1] != "]":
        return datetime.fromisoformat(text)
    stamp, _, key = text[:-1].partition("[")
    moment = datetime.fromisoformat(stamp)
    zone = _find_zone(key)
    if zone is None:
        return moment
    local = moment.replace(tzinfo=zone)
    return local if local.utcoffset() == moment.utcoffset() else local.replace(fold=1)


@lru_cache(maxsize=1024)
def _find_zone(key: str) -> ZoneInfo | None:
    """Return the zone, or None if this machine's tz database does not have it."""
    try:
        return ZoneInfo(key)
    except (KeyError, ValueError, OSError):
        return None


def _escape_surrogates(text: str) -> str:
    """Return the JSON text with surrogates escaped; most texts have none and stay as they are."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _escape_to_ascii(text)
    return text


def _escape_to_ascii(text: str) -> str:
    """Escape every character beyond ASCII, with a mark between two surrogates that form a pair."""
    marked = _WITHIN_PAIR.sub(r"\/", text)
    return _BEYOND_ASCII.sub(lambda run: encode_basestring_ascii(run[0])[1:-1], marked)


def _split_pairs(text: str) -> str:
    """Put a bare low surrogate after each mark: a reader joins only two escapes."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[0], text)


def refuse_unstorable(value: Any, where: str) -> None:
    """Raise if JSON would not give this value back as it is.

    ``json.dumps`` alone would quietly turn a tuple into a list and the key ``1`` into ``"1"``.
    """
    if _is_plain(value):
        return
    found = _find_unstorable(value, 0)
    if found is not None:
        path, reason = found
        raise UnstorableError(f"{where}{path[:120]} {reason}")


def _is_plain(value: Any) -> bool:
    """Return True for values as most are, which it takes little time to see."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inside: list[Any] = []
        for each in level:
            kind = type(each)
            if kind is dict:
                if not _ONLY_TEXT.issuperset(map(type, each)):
                    return False
                inside += each.values()
            elif kind is list:
                inside += each
            elif kind not in _SCALARS and not (kind is int and -_LONG < each < _LONG):
                return False
        if not inside:
            return True
        if len(inside) > MOST_INSIDE:  # or it holds itself
            return False
        level = inside
    return False


def _find_unstorable(value: Any, depth: int) -> tuple[str, str] | None:
    """Return where inside the value something cannot be kept, and why; None if all of it can."""
    if value is None or isinstance(value, str | float | bool):
        return None
    if isinstance(value, int):
        # Python neither writes nor reads integers of more than 4,300 digits as text.
        too_long = value.bit_length() > 14_000
        return ("", "is an integer too long to keep: convert it to text") if too_long else None
    if depth >= MAX_DEPTH:
        return "", f"is nested deeper than {MAX_DEPTH} levels: flatten it"
    if isinstance(value, list):
        return _find_unstorable_item(enumerate(value), "[{}]", depth)
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                kind = type(key).__name__
                return "", f"has a key that is a {kind}: JSON keeps only text as keys"
        return _find_unstorable_item(value.items(), ".{}", depth)
    kind = type(value).__name__
    return "", (
        f"is a {kind}, which JSON does not give back as it is: "
        "convert it to text, numbers, lists or dicts first"
    )


def _find_unstorable_item(
    items: Iterable[tuple[Any, Any]], step: str, depth: int
) -> tuple[str, str] | None:
    for key, item in items:
        found = _find_unstorable(item, depth + 1)
        if found is not None:
            path, reason = found
            return step.format(key) + path, reason
    return None

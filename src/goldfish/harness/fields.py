"""What a store hands out, ours or a library's own objects, read field by field."""

from collections.abc import Iterable, Mapping
from typing import Any

from goldfish.findings.result import Violation

MISSING = object()


def messages_in(found: Any) -> list[Any]:
    """Return the messages that get_history returned; a violation if those are none."""
    single = isinstance(found, str | bytes | Mapping) or hasattr(found, "content")
    if single or not isinstance(found, Iterable):
        raise Violation(f"wrong: get_history returned {type(found).__name__}, not messages")
    return list(found)


def contents_of(messages: Iterable[Any]) -> list[Any]:
    """Return the contents of messages."""
    return [field(message, "content") for message in messages]


def field(message: Any, name: str) -> Any:
    """Return a field of a message: of our own, of a mapping, or of a library's object."""
    if isinstance(message, Mapping):
        return message.get(name, MISSING)
    return getattr(message, name, MISSING)


def identity(found: Any) -> Any:
    """Return the id of a snapshot: what was returned for it, or what that says of itself."""
    for name in ("id", "snapshot_id"):
        own = field(found, name)
        if own is not MISSING and not callable(own):
            return own
    return found

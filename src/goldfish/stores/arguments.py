"""Validation of what callers pass in, before anything is written."""

import hashlib
from collections.abc import Iterable

from goldfish.encoding import encode_value
from goldfish.messages import ChatMessage

HUNDRED_YEARS = 100 * 366 * 86_400.0


def require_text(value: str, name: str) -> str:
    """Return the value; raise if it is not a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
    return value


def require_words(value: str, name: str) -> str:
    """Return the value; raise if it is not a string, or is blank."""
    if not require_text(value, name).strip():
        raise ValueError(f"{name} must not be empty")
    return value


def require_count(value: int, name: str) -> int:
    """Return the value, no larger than any database can count; raise if it is negative."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name} must not be negative (got {value})")
    return min(value, 2**31 - 1)


def require_seconds(value: float, name: str) -> float:
    """Return the value; raise if it is not a length of time."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number of seconds, not {type(value).__name__}")
    if not 0 <= value <= HUNDRED_YEARS:  # also false for NaN
        raise ValueError(f"{name} must be from 0 seconds to a hundred years (got {value!r:.30})")
    return float(value)


def require_ttl(value: float | None) -> float | None:
    """Return the value; raise if it is neither None nor more than 0 seconds."""
    if value is not None and require_seconds(value, "ttl") == 0:
        raise ValueError("ttl must be greater than 0 seconds (got 0); leave it out for no expiry")
    return None if value is None else float(value)


def hash_key(key: str | None, *scope: str) -> str | None:
    """Return what a store keeps of an idempotency key: short, whatever the key.

    The scope says what the key belongs to, so that one key may serve several calls of a request.
    """
    if key is None:
        return None
    parts = encode_value([*scope, require_text(key, "key")])
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def require_messages(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Return the messages as a list of our own."""
    if not isinstance(messages, list) and _is_single(messages):
        raise TypeError(
            f"messages must be a list of ChatMessage, not a single {type(messages).__name__}"
        )
    own = list(messages)
    for message in own:
        if not isinstance(message, ChatMessage):
            raise TypeError(f"each message must be a ChatMessage, not {type(message).__name__}")
    return own


def require_ids(ids: Iterable[str], name: str, kind: str) -> list[str]:
    """Return the ids of messages or sessions as a list without repetitions."""
    if _is_single(ids):
        raise TypeError(f"{name} must be a list of {kind} ids, not a single {type(ids).__name__}")
    return list(dict.fromkeys(require_text(each, f"a {kind} id") for each in ids))


def _is_single(value: object) -> bool:
    """Return whether this is one thing where many are wanted: texts can be iterated, too."""
    return isinstance(value, ChatMessage | str | bytes) or not isinstance(value, Iterable)

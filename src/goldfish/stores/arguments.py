"""Judging what callers pass in, before anything is written."""

import hashlib
from collections.abc import Iterable

from goldfish.encoding import encode_value
from goldfish.messages import ChatMessage

HUNDRED_YEARS = 100 * 366 * 86_400.0


def text(value: str, name: str) -> str:
    """The value, if it is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
    return value


def said(value: str, name: str) -> str:
    """The value, if it is a string that says something."""
    if not text(value, name).strip():
        raise ValueError(f"{name} must not be empty: say something")
    return value


def natural(value: int, name: str) -> int:
    """The value, if it is an integer from 0 on; no larger than any database can count."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name} must not be negative, and is {value}")
    return min(value, 2**31 - 1)


def seconds(value: float, name: str) -> float:
    """The value, if it is a length of time."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number of seconds, not {type(value).__name__}")
    if not 0 <= value <= HUNDRED_YEARS:  # also false for NaN
        raise ValueError(f"{name} must be from 0 seconds to a hundred years, and is {value!r:.30}")
    return float(value)


def token(key: str | None, *scope: str) -> str | None:
    """Return what a store keeps of an idempotency key: short, whatever the key.

    The scope says what the key belongs to, so that one key may serve several calls of a request.
    """
    if key is None:
        return None
    parts = encode_value([*scope, text(key, "key")])
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def batch(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The messages as a list of our own."""
    if not isinstance(messages, list) and _is_single(messages):
        raise TypeError(
            f"messages must be a list of ChatMessage, not a single {type(messages).__name__}"
        )
    own = list(messages)
    for message in own:
        if not isinstance(message, ChatMessage):
            raise TypeError(f"each message must be a ChatMessage, not {type(message).__name__}")
    return own


def message_ids(ids: Iterable[str]) -> list[str]:
    """The ids as a list without repetitions."""
    if _is_single(ids):
        raise TypeError(f"ids must be a list of message ids, not a single {type(ids).__name__}")
    return list(dict.fromkeys(text(key, "a message id") for key in ids))


def session_ids(ids: Iterable[str]) -> list[str]:
    """The ids as a list without repetitions."""
    if _is_single(ids):
        raise TypeError(
            f"session_ids must be a list of session ids, not a single {type(ids).__name__}"
        )
    return list(dict.fromkeys(text(key, "a session id") for key in ids))


def _is_single(value: object) -> bool:
    """Whether this is one thing where many are wanted; texts and messages can be iterated too."""
    return isinstance(value, ChatMessage | str | bytes) or not isinstance(value, Iterable)

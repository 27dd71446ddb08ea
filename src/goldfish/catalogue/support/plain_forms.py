"""The plain forms of a value: what JSON, or ``ChatMessage.model_dump()``, makes of it.

A store that keeps messages as JSON is right to give back a list for a tuple. No store is right to
give back something that neither of the two makes.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from goldfish.messages import ChatMessage

Form = Callable[[Any], Any]


def make_plain_forms(given: Any) -> Iterator[Any]:
    """Yield what a right store may make of a value, with lists for tuples and sets."""
    for form in FORMS:
        try:
            yield list_sequences(form(given))
        except (TypeError, ValueError, RecursionError):  # this way, it cannot be made plain
            continue


def _dump(value: Any, **options: Any) -> Any:
    message = ChatMessage(role="user", content="", metadata={"odd": value})
    return message.model_dump(warnings=False, **options)["metadata"]["odd"]


def _through_json(value: Any, **options: Any) -> Any:
    return json.loads(json.dumps(value, **options))


def _print_time(value: Any) -> str:
    """Return a time or an exact number as its text, as ``default=str`` does."""
    if type(value).__name__ in {"datetime", "date", "Decimal", "UUID"}:
        return str(value)
    raise TypeError(type(value).__name__)


FORMS: tuple[Form, ...] = (
    _through_json,
    _dump,
    lambda value: _dump(value, mode="json"),
    lambda value: _through_json(_dump(value)),
    lambda value: _through_json(_dump(value), default=_print_time),
)


def list_sequences(value: Any) -> Any:
    """Return a value with its tuples as lists, and its sets as sorted lists."""
    if isinstance(value, dict):
        return {key: list_sequences(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(list_sequences, value), key=repr)
    return [list_sequences(each) for each in value] if isinstance(value, list | tuple) else value

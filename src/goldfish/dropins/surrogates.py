"""Texts that a serialiser would change silently, found before they are written."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from goldfish.errors import UnstorableError


def refuse_lone_surrogates(value: Any) -> None:
    """Raise if a text within the value has a lone surrogate, which is no character."""
    for text in _texts(value):
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise UnstorableError(
                f"the text {text!r:.80} has a lone surrogate, of which LangGraph's serialiser "
                "would make a question mark: repair the text first"
            )


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple | set | frozenset):
            waiting += each
        elif isinstance(each, BaseModel):
            waiting += [*vars(each).values(), *(each.model_extra or {}).values()]
        elif hasattr(each, "__dict__") and not isinstance(each, type):
            waiting += vars(each).values()

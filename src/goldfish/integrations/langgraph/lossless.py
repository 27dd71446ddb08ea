"""Values that LangGraph's serialiser would change silently, found before they are written.

It makes a question mark of a lone surrogate, and of what a message carries it keeps only what
pydantic leaves as it is: an object in the metadata of a message would come back as a dict.
"""

from collections.abc import Callable, Iterator
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from goldfish.errors import UnstorableError

PLAIN = (str, int, float, type(None))


def refuse_changed(value: Any, kept: Callable[[Any], Any]) -> None:
    """Raise if a text or message within the value would not come back as it is.

    ``kept`` gives what becomes of a message; it is asked only about those that carry more than
    what JSON has.
    """
    for each in _within(value):
        if isinstance(each, str):
            _refuse_lone_surrogates(each)
        elif isinstance(each, BaseMessage) and _is_odd(each) and kept(each) != each:
            raise UnstorableError(
                f"the message {each.id!r:.80} carries a value that would not come back as it is: "
                "put only what JSON has into its metadata"
            )


def _refuse_lone_surrogates(text: str) -> None:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise UnstorableError(
            f"the text {text!r:.80} has a lone surrogate, of which LangGraph's serialiser would "
            "make a question mark: repair the text first"
        )


def _is_odd(message: BaseMessage) -> bool:
    parts = (each for each in _within(_fields(message)) if not isinstance(each, dict | list))
    return any(not isinstance(each, PLAIN) for each in parts)


def _within(value: Any) -> Iterator[Any]:
    """The value and all that it is made of, each container once: one may hold itself."""
    waiting = [value]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, PLAIN) or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple | set | frozenset):
            waiting += each
        elif isinstance(each, BaseModel):
            waiting += _fields(each).values()


def _fields(model: BaseModel) -> dict[str, Any]:
    return {**vars(model), **(model.model_extra or {})}

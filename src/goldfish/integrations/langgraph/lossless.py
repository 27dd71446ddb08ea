"""Refuses values that LangGraph's serialiser would change silently, before they are written.

The serialiser turns a lone surrogate into a question mark, and an object in the metadata of a
message into a dict.
"""

from collections.abc import Callable, Iterator
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from goldfish.errors import UnstorableError
from goldfish.integrations.langgraph.elements import MOST_PARTS, SCALARS, find_kind

PLAIN = (str, int, float, type(None))


def refuse_lossy(value: Any, round_trip: Callable[[Any], Any]) -> None:
    """Raise UnstorableError if a text or message within the value would not come back as it is.

    ``round_trip`` serialises a message and reads it back; it is called only for messages that
    carry more than JSON has.
    """
    if _is_simple(value):
        return
    for each in _walk(value):
        if isinstance(each, str):
            _refuse_lone_surrogates(each)
        elif isinstance(each, BaseMessage) and _has_objects(each) and round_trip(each) != each:
            raise UnstorableError(
                f"the message {each.id!r:.80} carries a value that would not come back as it is: "
                "put only JSON values into its metadata"
            )


def _is_simple(value: Any) -> bool:
    """Return True if the value has only JSON values and messages of these, and no surrogates.

    Most values do, and this is far faster than a walk that knows everything.
    """
    waiting = [value]
    for each in waiting:
        kind = type(each)
        if kind is str:
            if not each.isascii() and not _is_encodable(each):
                return False
        elif kind is dict:
            waiting += each
            waiting += each.values()
        elif kind is list:
            waiting += each
        elif kind not in SCALARS:
            if find_kind(each) in (None, object):
                return False
            waiting += [vars(each), each.__pydantic_extra__]
        if len(waiting) > MOST_PARTS:  # or it holds itself
            return False
    return True


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_lone_surrogates(text: str) -> None:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise UnstorableError(
            f"the text {text!r:.80} has a lone surrogate, which LangGraph's serialiser would turn "
            "into a question mark: repair the text first"
        )


def _has_objects(message: BaseMessage) -> bool:
    parts = (each for each in _walk(_fields(message)) if not isinstance(each, dict | list))
    return any(not isinstance(each, PLAIN) for each in parts)


def _walk(value: Any) -> Iterator[Any]:
    """Yield the value and all its parts, each container once: one may hold itself."""
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

"""What a store hands out, ours or a library's own objects, read field by field."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from goldfish.findings.result import Violation

MISSING = object()
PAIR = {"role": 0, "content": 1}  # the places in a pair
OF_CLASSES = {"role", "content"}  # what a class may say for all of its messages
PAGES = (  # where a page has its list
    *("sessions", "messages", "facts", "memories", "snapshots", "history"),
    *("items", "ids", "results", "data"),
)
TEXTS = ("text", "content", "memory")  # where a fact has its words
NAMES = ("session_id", "id", "session", "thread_id", "conversation_id", "name", "key")


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
    """Return a field of a message: of our own, of a mapping, or of a library's object.

    A message may also be a pair of a role and a content, or a text alone. What its class has is no
    field of it: SQLAlchemy's models have the ``metadata`` of their tables.
    """
    if isinstance(message, Mapping):
        return message.get(name, MISSING)
    if isinstance(message, str):
        return message if name == "content" else MISSING
    if isinstance(message, list | tuple) and len(message) == 2 and name in PAIR:
        return message[PAIR[name]] if isinstance(message[0], str) else MISSING
    found = getattr(message, name, MISSING)
    if name not in OF_CLASSES and name not in getattr(message, "__dict__", {name}):
        return MISSING if found is getattr(type(message), name, MISSING) else found
    return found


def words_of(fact: Any) -> Any:
    """Return the words of a fact: a text, or what has one under any of these names."""
    if isinstance(fact, list | tuple):
        return MISSING
    named = (field(fact, name) for name in TEXTS)
    return next((each for each in named if each is not MISSING), MISSING)


def list_in(found: Any) -> Any:
    """Return the list in a page; what is no page stays as it is."""
    if not isinstance(found, Mapping):
        return found
    return next((found[key] for key in PAGES if isinstance(found.get(key), list)), found)


def names_in(found: Any) -> Any:
    """Return the ids of sessions that list_sessions returned, in whatever they are wrapped."""
    found = list_in(found)
    if isinstance(found, str) or not isinstance(found, Iterable):
        return found
    return [_name_session(each) for each in found]


def _name_session(item: Any) -> Any:
    if isinstance(item, str):
        return item
    if isinstance(item, list | tuple) and item:
        return item[0]
    known = [field(item, name) for name in NAMES]
    texts = (each for each in known if isinstance(each, str))
    others = (each for each in known if isinstance(each, int | UUID))
    return next(texts, next(others, item))


def identity(found: Any) -> Any:
    """Return the id of a snapshot: what was returned for it, or what that says of itself."""
    for name in ("id", "snapshot_id"):
        own = field(found, name)
        if own is not MISSING and not callable(own):
            return own
    return found

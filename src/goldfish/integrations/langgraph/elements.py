"""Elements of lists: how the process knows one again, and makes a copy without the serialiser.

Messages and plain values are known by the bytes of ``marshal``, which tells ``1`` from ``True`` and
a list from a tuple and is far faster than any serialiser. It is used only within the process; what
it cannot write is known by its serialised form.
"""

import marshal
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from goldfish.integrations.langgraph.packing import Typed

VERSION = 2  # later versions of marshal write what is shared, which depends on who else holds it
PLAIN = (str, bytes, dict, list, tuple)
SCALARS = (int, float, bool, type(None))

Frozen = tuple[type[Any] | None, bytes]  # the class of a message, and its fields
Key = Frozen | Typed

_set_fields = BaseModel.__dict__["__dict__"].__set__
_set_fields_set = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__


class Element:
    """One element of a list, as it is stored or as it was read."""

    __slots__ = ("_frozen", "key", "typed")

    def __init__(self, typed: Typed, key: Key | None = None) -> None:
        self.typed = typed
        self.key: Key = key or typed  # two elements with the same are the same
        self._frozen: Frozen | None = None

    def load(self, serde: Any) -> Any:
        """Return the element; each caller gets an object of its own."""
        if self._frozen is not None:
            return thaw(self._frozen)
        value = serde.loads_typed(self.typed)
        frozen = freeze(value)
        if frozen is not None and _is_complete(value):
            self.key = self._frozen = frozen
        return value

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return len(self.typed[1]) + len(self.key[1]) + 300


def is_divisible(value: Any) -> bool:
    """Return True for a list whose elements are worth storing one by one."""
    return type(value) is list and bool(value) and not any(type(each) in SCALARS for each in value)


def freeze(value: Any) -> Frozen | None:
    """Return what the value can be known by and made of again; None if it is too special."""
    kind = type(value)
    try:
        if kind in PLAIN:
            return None, marshal.dumps(value, VERSION)
        if _is_message(kind):
            return kind, marshal.dumps((vars(value), value.__pydantic_extra__), VERSION)
    except ValueError:  # it holds an object that marshal does not know
        pass
    return None


def thaw(frozen: Frozen) -> Any:
    """Return a new value, equal to the one that was frozen."""
    kind, data = frozen
    if kind is None:
        return marshal.loads(data)
    fields, extra = marshal.loads(data)
    made = kind.__new__(kind)
    _set_fields(made, fields)
    _set_fields_set(made, {*fields, *(extra or ())})
    _set_extra(made, extra)
    _set_private(made, None)
    return made


_messages: dict[type[Any], bool] = {}  # the classes that have been looked at


def _is_message(kind: type[Any]) -> bool:
    """Return True for a message of LangChain itself: a subclass may hold more than its fields."""
    found = _messages.get(kind)
    if found is None:
        known = issubclass(kind, BaseMessage) and kind.__module__.startswith("langchain_core.")
        found = _messages[kind] = known and not kind.__private_attributes__
    return found


def _is_complete(value: Any) -> bool:
    """Return True if nothing would be missing in a message that is made of its fields."""
    if not isinstance(value, BaseMessage):
        return True
    return value.__pydantic_fields_set__ == {*vars(value), *(value.__pydantic_extra__ or ())}

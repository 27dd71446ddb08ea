"""Elements of lists: how the process knows one again, and makes a copy without the serialiser.

Messages and plain values are known by the bytes of ``marshal``, which tells ``1`` from ``True`` and
a list from a tuple and is far faster than any serialiser. It is used only within the process; what
it cannot restore is known by its serialised form.
"""

import marshal
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from goldfish.integrations.langgraph.packing import Typed

VERSION = 2  # later versions of marshal write what is shared, which depends on who else holds it
LIST_HEADER = 5  # bytes before the elements of a list: they are as if each were written alone
SCALARS = (int, float, bool, type(None))
MOST_PARTS = 100_000  # of one element that is frozen
ATOMS = frozenset({str, bytes, *SCALARS})

Frozen = tuple[type[Any] | None, bytes]  # the class of a message, or None, and the contents
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
    kind = find_kind(value)
    contents = value if kind is None else (vars(value), value.__pydantic_extra__)
    if kind is object or not _is_plain(contents):
        return None
    return kind, marshal.dumps(contents, VERSION)


def begins_with(values: Sequence[Any], elements: Sequence[Element]) -> bool:
    """Return True if the first of the values are these elements, all of which are frozen."""
    kinds = [each.key[0] for each in elements]
    head = values[: len(kinds)]
    if [_kinds.get(type(each), object) for each in head] != kinds:
        return False
    contents = [
        each if kind is None else (each.__dict__, each.__pydantic_extra__)
        for each, kind in zip(head, kinds, strict=True)
    ]
    try:
        written = marshal.dumps(contents, VERSION)
    except ValueError:  # one holds an object that marshal does not know
        return False
    known = b"".join([each.key[1] for each in elements])
    return len(written) == LIST_HEADER + len(known) and written.endswith(known)


def thaw(frozen: Frozen) -> Any:
    """Return a new value, equal to the one that was frozen."""
    kind, data = frozen
    if kind is None:
        return marshal.loads(data)
    fields, extra = marshal.loads(data)
    made = kind.__new__(kind)
    _set_fields(made, fields)
    _set_fields_set(made, {*fields, *extra} if extra else set(fields))
    _set_extra(made, extra)
    _set_private(made, None)
    return made


_kinds: dict[type[Any], type[Any] | None] = dict.fromkeys((str, bytes, dict, list, tuple))


def find_kind(value: Any) -> type[Any] | None:
    """Return the class of a message, None for a plain value, ``object`` for anything else.

    Only messages of LangChain itself are: a subclass may hold more than its fields.
    """
    kind = type(value)
    if kind not in _kinds:
        is_known = issubclass(kind, BaseMessage) and kind.__module__.startswith("langchain_core.")
        _kinds[kind] = kind if is_known and not kind.__private_attributes__ else object
    return _kinds[kind]


def _is_plain(value: Any) -> bool:
    """Return True if ``marshal`` restores it: it would write an array as the bytes in it."""
    waiting = [value]
    for each in waiting:
        kind = type(each)
        if kind in ATOMS:
            continue
        if kind is dict:
            waiting += [*each.keys(), *each.values()]
        elif kind in (list, tuple, set):
            waiting += each
        else:
            return False
        if len(waiting) > MOST_PARTS:  # or it holds itself
            return False
    return True


def _is_complete(value: Any) -> bool:
    """Return True if nothing would be missing in a message that is made of its fields."""
    if not isinstance(value, BaseMessage):
        return True
    return value.__pydantic_fields_set__ == {*vars(value), *(value.__pydantic_extra__ or ())}

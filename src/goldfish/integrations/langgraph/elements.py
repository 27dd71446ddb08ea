"""Elements of lists: how the process knows one again, and makes a copy without the serialiser.

Messages and plain values are known by the bytes that msgpack makes of their contents: that is far
faster than the serialiser, and tells ``1`` from ``True``. What it would not restore exactly is
refused here, and known by its serialised form.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ormsgpack
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

from goldfish.integrations.langgraph.packing import Typed

# Nothing but JSON values and bytes: neither tuples, nor subclasses, nor keys that are not texts.
STRICT = (
    ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_TUPLE
    | ormsgpack.OPT_PASSTHROUGH_UUID
)
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

    __slots__ = ("_copy", "is_frozen", "key", "typed")

    def __init__(self, typed: Typed, key: Key | None = None) -> None:
        self.typed = typed
        self.key: Key = key or typed  # two elements with the same are the same
        self.is_frozen = False  # so the key is that of the value as it is read
        self._copy: Callable[[], Any] | None = None

    def learn(self, value: Any) -> None:
        """Note the value as it is read, to make copies of it."""
        frozen = freeze(value)
        if frozen is not None and _is_complete(value):
            self.key, self.is_frozen = frozen, True

    def copy(self) -> Any:
        """Return a value of the caller's own."""
        if self._copy is None:
            self._copy = make_copier(self.key)
        return self._copy()

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return len(self.typed[1]) + len(self.key[1]) + 1500


def load_all(elements: Sequence[Element], serde: Any) -> list[Any]:
    """Return the values of elements; each caller gets objects of its own."""
    frozen = [each.is_frozen for each in elements]
    new = [each for each, is_frozen in zip(elements, frozen, strict=True) if not is_frozen]
    values = _deserialise([each.typed for each in new], serde) if new else []
    for each, value in zip(new, values, strict=True):
        each.learn(value)
    left = iter(values)
    return [
        each.copy() if is_frozen else next(left)
        for each, is_frozen in zip(elements, frozen, strict=True)
    ]


def _deserialise(typed: Sequence[Typed], serde: Any) -> list[Any]:
    """Return the values; LangGraph's own serialiser reads many at once in less time."""
    if type(serde) is not JsonPlusSerializer or any(kind != "msgpack" for kind, _ in typed):
        return [serde.loads_typed(each) for each in typed]
    header = b"\xdd" + len(typed).to_bytes(4, "big")  # of a list of so many
    joined: list[Any] = serde.loads_typed(("msgpack", header + b"".join(d for _, d in typed)))
    return joined


def is_divisible(value: Any) -> bool:
    """Return True for a list whose elements are worth storing one by one."""
    return type(value) is list and bool(value) and not any(type(each) in SCALARS for each in value)


def freeze(value: Any) -> Frozen | None:
    """Return what the value can be known by and made of again; None if it is too special."""
    kind = find_kind(value)
    if kind is object:
        return None
    contents = value if kind is None else [vars(value), value.__pydantic_extra__]
    if not _is_plain(contents):
        return None
    try:
        return kind, ormsgpack.packb(contents, None, STRICT)
    except TypeError:  # a lone surrogate, or a number that is too large
        return None


def begins_with(values: Sequence[Any], elements: Sequence[Element]) -> bool:
    """Return True if the first of the values are these elements, all of which are frozen."""
    kinds = [each.key[0] for each in elements]
    head = values[: len(kinds)]
    if [_kinds.get(type(each), object) for each in head] != kinds:
        return False
    contents = [
        each if kind is None else [each.__dict__, each.__pydantic_extra__]
        for each, kind in zip(head, kinds, strict=True)
    ]
    try:
        written = ormsgpack.packb(contents, None, STRICT)
    except TypeError:  # one holds what is not plain any more
        return False
    # The elements of a list are written as if each were alone, after the number of them.
    known = b"".join([each.key[1] for each in elements])
    return written.endswith(known) and len(written) == len(known) + _header_size(len(kinds))


def make_copier(frozen: Key) -> Callable[[], Any]:
    """Return a function that returns a new value, equal to the one that was frozen."""
    kind, data = frozen
    if kind is None or isinstance(kind, str):
        return partial(ormsgpack.unpackb, data)
    fields, extra = ormsgpack.unpackb(data)
    names = {*fields, *(extra or ())}
    own = [(name, _make_part(part)) for name, part in fields.items() if type(part) in (dict, list)]
    make_extra = _make_part(extra)

    def copy() -> Any:
        copied = fields.copy()  # texts and numbers can be shared: they never change
        for name, make in own:
            copied[name] = make()
        made: Any = object.__new__(kind)
        _set_fields(made, copied)
        _set_fields_set(made, names.copy())
        _set_extra(made, make_extra())
        _set_private(made, None)
        return made

    return copy


def _make_part(part: Any) -> Callable[[], Any]:
    """Return a function that returns a new dict or list, equal to this one."""
    if not part and part is not None:
        return type(part)
    return partial(ormsgpack.unpackb, ormsgpack.packb(part))


_kinds: dict[type[Any], type[Any] | None] = dict.fromkeys((str, bytes, dict, list))


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
    """Return True if msgpack restores it: it would write an array of bytes as bytes."""
    waiting = [value]
    for each in waiting:
        kind = type(each)
        if kind in ATOMS:
            continue
        if kind is dict:
            waiting += each
            waiting += each.values()
        elif kind is list:
            waiting += each
        else:
            return False
        if len(waiting) > MOST_PARTS:  # or it holds itself
            return False
    return True


def _header_size(count: int) -> int:
    """Return how many bytes msgpack needs to say how long a list is."""
    return 1 if count < 16 else 3 if count < 1 << 16 else 5


def _is_complete(value: Any) -> bool:
    """Return True if nothing would be missing in a message that is made of its fields."""
    if not isinstance(value, BaseMessage):
        return True
    return value.__pydantic_fields_set__ == {*vars(value), *(value.__pydantic_extra__ or ())}

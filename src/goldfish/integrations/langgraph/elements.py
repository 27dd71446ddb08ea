"""Elements of lists: how the process knows one again, and makes a copy without the serialiser.

Messages and plain values are known by the bytes that msgpack makes of their contents: that is far
faster than the serialiser, and tells ``1`` from ``True``. What it would not restore exactly is
refused here, and known by its serialised form.
"""

from collections.abc import Sequence
from itertools import compress, takewhile
from typing import Any

import ormsgpack
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from goldfish.integrations.langgraph.moulds import (
    CHUNK,
    NO_MESSAGES,
    STRICT,
    Form,
    Frozen,
    Key,
    Mould,
    are,
    build_all,
    make_form,
    take_contents,
)
from goldfish.integrations.langgraph.packing import Typed

SCALARS = (int, float, bool, type(None))
SCALAR_KINDS = frozenset(SCALARS)
MOST_PARTS = 100_000  # of one element that is frozen
ATOMS = frozenset({str, bytes, *SCALARS})


class Element:
    """One element of a list, as it is stored or as it was read."""

    __slots__ = ("_form", "is_frozen", "key", "typed")

    def __init__(self, typed: Typed, key: Key | None = None) -> None:
        self.typed = typed
        self.key: Key = key or typed  # two elements with the same are the same
        self.is_frozen = False  # so the key is that of the value as it is read
        self._form: Form | None = None

    def learn(self, value: Any) -> None:
        """Note the value as it is read, to make copies of it."""
        frozen = freeze(value)
        if frozen is not None and _is_complete(value):
            self.key, self.is_frozen = frozen, True

    @property
    def form(self) -> "Form | None":
        """What copies of a message are made of; None for a plain value."""
        if self._form is None:
            self._form = make_form(self.key)
        return self._form

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return len(self.typed[1]) + len(self.key[1]) + 1500


def load_all(
    elements: Sequence[Element], serde: Any, mould: Mould = NO_MESSAGES
) -> tuple[list[Any], Mould]:
    """Return the values of elements, and the mould of the messages that they begin with.

    Each caller gets objects of its own. A mould that is known, of the first of the elements, makes
    them in less time.
    """
    rest = elements[len(mould) :]
    values = mould.build() + _load(rest, serde)
    messages = takewhile(lambda each: each.is_frozen and each.form is not None, rest)
    return values, mould.extend([form for each in messages if (form := each.form)])


def _load(elements: Sequence[Element], serde: Any) -> list[Any]:
    frozen = [each.is_frozen for each in elements]
    copies = iter(copy_all(list(compress(elements, frozen))))
    new = [each for each, is_frozen in zip(elements, frozen, strict=True) if not is_frozen]
    values = _deserialise([each.typed for each in new], serde) if new else []
    for each, value in zip(new, values, strict=True):
        each.learn(value)
    read = iter(values)
    return [next(copies if is_frozen else read) for is_frozen in frozen]


def _deserialise(typed: Sequence[Typed], serde: Any) -> list[Any]:
    """Return the values; LangGraph's own serialiser reads many at once in less time."""
    if type(serde) is not JsonPlusSerializer or any(kind != "msgpack" for kind, _ in typed):
        return [serde.loads_typed(each) for each in typed]
    header = b"\xdd" + len(typed).to_bytes(4, "big")  # of a list of so many
    joined: list[Any] = serde.loads_typed(("msgpack", header + b"".join(d for _, d in typed)))
    return joined


def is_divisible(value: Any) -> bool:
    """Return True for a list whose elements are worth storing one by one."""
    return type(value) is list and bool(value) and SCALAR_KINDS.isdisjoint(map(type, value))


def freeze(value: Any) -> Frozen | None:
    """Return what the value can be known by and made of again; None if it is too special."""
    kind = find_kind(value)
    if kind is object:
        return None
    contents = take_contents(value, kind)
    if not _is_plain(contents):
        return None
    try:
        return kind, ormsgpack.packb(contents, None, STRICT)
    except TypeError:  # a lone surrogate, or a number that is too large
        return None


def begins_with(values: Sequence[Any], elements: Sequence[Element], mould: Mould) -> bool:
    """Return True if the first of the values are these elements, whose first are in the mould."""
    known = len(mould)
    keys = [each.key for each in elements[known:]]
    head = values[known : len(elements)]
    if [_kinds.get(kind, object) for kind in map(type, head)] != [kind for kind, _ in keys]:
        return False
    starts = range(0, len(keys), CHUNK)
    return mould.matches(values[:known]) and all(
        are(head[at : at + CHUNK], keys[at : at + CHUNK]) for at in starts
    )


def copy_all(elements: Sequence[Element]) -> list[Any]:
    """Return new values, equal to those that were frozen."""
    forms = [each.form for each in elements]
    messages = iter(build_all([form for form in forms if form is not None]))
    return [
        ormsgpack.unpackb(each.key[1]) if form is None else next(messages)
        for each, form in zip(elements, forms, strict=True)
    ]


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


def _is_complete(value: Any) -> bool:
    """Return True if nothing would be missing in a message that is made of its fields."""
    if not isinstance(value, BaseMessage):
        return True
    return value.__pydantic_fields_set__ == {*vars(value), *(value.__pydantic_extra__ or ())}

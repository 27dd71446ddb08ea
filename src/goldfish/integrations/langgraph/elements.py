"""Elements of lists: how the process knows one again, and makes a copy without the serialiser.

Messages and plain values are known by the bytes that msgpack makes of their contents: that is far
faster than the serialiser, and tells ``1`` from ``True``. What it would not restore exactly is
refused here, and known by its serialised form.
"""

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from itertools import compress, repeat
from operator import call
from typing import Any, NamedTuple, TypeVar, cast

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
SCALAR_KINDS = frozenset(SCALARS)
MOST_PARTS = 100_000  # of one element that is frozen
CHUNK = 64  # elements that are looked at together: their bytes fit into the processor's caches
ATOMS = frozenset({str, bytes, *SCALARS})

Frozen = tuple[type[Any] | None, bytes]  # the class of a message, or None, and the contents
Key = Frozen | Typed
Shared = TypeVar("Shared", bound=Hashable)

_set_fields = BaseModel.__dict__["__dict__"].__set__
_set_fields_set = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
_run_through = deque[None](maxlen=0).extend


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
            self._form = _make_form(self.key)
        return self._form

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return len(self.typed[1]) + len(self.key[1]) + 1500


def load_all(elements: Sequence[Element], serde: Any) -> list[Any]:
    """Return the values of elements; each caller gets objects of its own."""
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
    contents = _take_contents(value, kind)
    if not _is_plain(contents):
        return None
    try:
        return kind, ormsgpack.packb(contents, None, STRICT)
    except TypeError:  # a lone surrogate, or a number that is too large
        return None


def begins_with(values: Sequence[Any], elements: Sequence[Element]) -> bool:
    """Return True if the first of the values are these elements, all of which are frozen."""
    keys = [each.key for each in elements]
    head = values[: len(keys)]
    if [_kinds.get(kind, object) for kind in map(type, head)] != [kind for kind, _ in keys]:
        return False
    starts = range(0, len(keys), CHUNK)
    return all(_are(head[at : at + CHUNK], keys[at : at + CHUNK]) for at in starts)


def _are(values: Sequence[Any], keys: Sequence[Key]) -> bool:
    """Return True if these values, which are of the right kinds, have these keys."""
    contents = [_take_contents(each, kind) for each, (kind, _) in zip(values, keys, strict=True)]
    try:
        written = ormsgpack.packb(contents, None, STRICT)
    except TypeError:  # one holds what is not plain any more
        return False
    # The elements of a list are written as if each were alone, after the number of them.
    known = b"".join([data for _, data in keys])
    return written.endswith(known) and len(written) == len(known) + _header_size(len(keys))


def _take_contents(value: Any, kind: Any) -> Any:
    """Return what is written of a plain value, or of a message."""
    return value if kind is None else [value.__dict__, value.__pydantic_extra__]


def copy_all(elements: Sequence[Element]) -> list[Any]:
    """Return new values, equal to those that were frozen.

    A long thread is copied in every turn, so what is done to each message is done by loops that
    are not Python's, as far as they can.
    """
    forms = [each.form for each in elements]
    if not forms or None in forms:
        return [
            ormsgpack.unpackb(each.key[1]) if form is None else _build([form])[0]
            for each, form in zip(elements, forms, strict=True)
        ]
    return _build(cast(list[Form], forms))


class Form(NamedTuple):
    """What a message is made of."""

    kind: type[Any]
    fields: dict[str, Any]  # texts and numbers are shared by all copies: they never change
    own: tuple[tuple[str, Callable[[], Any]], ...]  # the fields that each copy has for itself
    names: frozenset[str]
    make_extra: Callable[[], Any]


def _make_form(frozen: Key) -> Form | None:
    """Return what a message is made of; None for a plain value."""
    kind, data = frozen
    if kind is None or isinstance(kind, str):
        return None
    fields, extra = ormsgpack.unpackb(data)
    parts = {name: part for name, part in fields.items() if type(part) in (dict, list)}
    own = tuple((name, _make_part(part)) for name, part in parts.items())
    names = _share(frozenset((*fields, *(extra or ()))))
    if not any(parts.values()):
        own = _share(own)  # as that of most messages
    return Form(kind, fields, own, names, _make_part(extra))


def _build(forms: Sequence[Form]) -> list[Any]:
    """Return new messages."""
    kinds, fields, owns, names, extras = zip(*forms, strict=True)
    copies = list(map(dict.copy, fields))
    for copied, own in zip(copies, owns, strict=True):
        for name, make in own:
            copied[name] = make()
    made = list(map(object.__new__, kinds))
    _run_through(map(_set_fields, made, copies))
    _run_through(map(_set_fields_set, made, map(set, names)))  # pydantic adds to it
    _run_through(map(_set_extra, made, map(call, extras)))
    _run_through(map(_set_private, made, repeat(None)))
    return made


def _make_part(part: Any) -> Callable[[], Any]:
    """Return a function that returns a new dict or list, equal to this one."""
    if not part and part is not None:
        return type(part)
    return partial(ormsgpack.unpackb, ormsgpack.packb(part))


@lru_cache(maxsize=100)
def _share(value: Shared) -> Shared:
    """Return the first value that is equal to this one."""
    return value


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

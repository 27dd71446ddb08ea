"""Messages side by side: what copies of them are made of, and how they are known again.

A long thread is copied and compared in every turn, so what is done to each message is done by loops
that are not Python's, as far as they can.
"""

import gc
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from itertools import repeat
from operator import attrgetter, call
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import ormsgpack
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
CHUNK = 64  # messages that are looked at together: their bytes fit into the processor's caches

Frozen = tuple[type[Any] | None, bytes]  # the class of a message, or None, and the contents
Key = Frozen | Typed
Shared = TypeVar("Shared", bound=Hashable)

_get_fields = attrgetter("__dict__")
_get_extra = attrgetter("__pydantic_extra__")
_set_fields = BaseModel.__dict__["__dict__"].__set__
_set_fields_set = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
_run_through = deque[None](maxlen=0).extend


class Form(NamedTuple):
    """What a message is made of."""

    kind: type[Any]
    fields: dict[str, Any]  # texts and numbers are shared by all copies: they never change
    own: tuple[tuple[str, Callable[[], Any]], ...]  # the fields that each copy has for itself
    names: frozenset[str]
    make_extra: Callable[[], Any]
    look: tuple[Any, Any]  # what equals its fields, and what is beside them
    key: Key | None  # by which to know it; None if its looks do


class _Anything:
    """Equals anything."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True


ANYTHING = _Anything()


class Mould:
    """The first messages of a list, as forms whose parts are side by side.

    A mould never changes. One that is made of another shares its columns, which only grow.
    """

    __slots__ = ("_columns", "_count", "_exact")

    def __init__(self) -> None:
        self._count = 0
        self._columns: list[list[Any]] = [[] for _ in range(7)]
        self._exact: list[tuple[int, Key]] = []  # where those are that their looks do not tell

    def __len__(self) -> int:
        return self._count

    def extend(self, forms: Sequence[Form]) -> "Mould":
        """Return the mould of more messages."""
        if not forms:
            return self
        made = Mould()
        made._count = self._count + len(forms)
        with _growing:
            columns = self._columns
            if len(columns[0]) > self._count or not self._count:
                columns = [column[: self._count] for column in columns]
            rows = [(*each[:5], *each.look) for each in forms]
            for column, new in zip(columns, zip(*rows, strict=True), strict=True):
                column += new
        made._columns = columns
        exact = [(at, each.key) for at, each in enumerate(forms, self._count) if each.key]
        made._exact = [*self._exact, *exact] if exact else self._exact
        return made

    def build(self) -> list[Any]:
        """Return new messages, equal to those that were frozen."""
        return _build(*[column[: self._count] for column in self._columns[:5]])

    def matches(self, values: Sequence[Any]) -> bool:
        """Return True if these values are the messages."""
        kinds, *_, fields, extras = self._columns
        count = self._count
        try:
            is_equal = (
                list(map(type, values)) == kinds[:count]
                and list(map(_get_fields, values)) == fields[:count]
                and list(map(_get_extra, values)) == extras[:count]
            )
        except Exception:  # whatever the comparison of a strange value raises
            return False
        exact = self._exact
        starts = range(0, len(exact), CHUNK)
        return is_equal and all(_are_at(values, exact[at : at + CHUNK]) for at in starts)


NO_MESSAGES = Mould()
_growing = Lock()


def build_all(forms: Sequence[Form]) -> list[Any]:
    """Return new messages, equal to those that were frozen."""
    return _build(*zip(*(each[:5] for each in forms), strict=True)) if forms else []


def _build(*columns: Any) -> list[Any]:
    """Return new messages, made of their parts side by side.

    All of them are in use until this returns: Python would look for garbage among them in vain, a
    few times in each turn, and now and then among all objects of the process.
    """
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return _assemble(*columns)
    finally:
        if is_collecting:
            gc.enable()


def _assemble(kinds: Any, fields: Any, owns: Any, names: Any, extras: Any) -> list[Any]:
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


def make_form(frozen: Key) -> Form | None:
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
    if not extra and all(map(_is_bare, fields.values())):
        return Form(kind, fields, own, names, _make_part(extra), (fields, extra), None)
    return Form(kind, fields, own, names, _make_part(extra), (ANYTHING, ANYTHING), frozen)


def are(values: Sequence[Any], keys: Sequence[Key]) -> bool:
    """Return True if these values, which are of the right kinds, have these keys."""
    contents = [take_contents(each, kind) for each, (kind, _) in zip(values, keys, strict=True)]
    try:
        written = ormsgpack.packb(contents, None, STRICT)
    except TypeError:  # one holds what is not plain any more
        return False
    # The elements of a list are written as if each were alone, after the number of them.
    known = b"".join([data for _, data in keys])
    return written.endswith(known) and len(written) == len(known) + _header_size(len(keys))


def _are_at(values: Sequence[Any], places: Sequence[tuple[int, Key]]) -> bool:
    return are([values[at] for at, _ in places], [key for _, key in places])


def take_contents(value: Any, kind: Any) -> Any:
    """Return what is written of a plain value, or of a message."""
    return value if kind is None else [value.__dict__, value.__pydantic_extra__]


def _is_bare(part: Any) -> bool:
    """Return True for texts and what is empty: nothing else equals it, as ``True`` equals ``1``."""
    return part is None or type(part) is str or (type(part) in (dict, list) and not part)


def _make_part(part: Any) -> Callable[[], Any]:
    """Return a function that returns a new dict or list, equal to this one."""
    if not part and part is not None:
        return type(part)
    return partial(ormsgpack.unpackb, ormsgpack.packb(part))


@lru_cache(maxsize=100)
def _share(value: Shared) -> Shared:
    """Return the first value that is equal to this one."""
    return value


def _header_size(count: int) -> int:
    """Return how many bytes msgpack needs to say how long a list is."""
    return 1 if count < 16 else 3 if count < 1 << 16 else 5

"""Typed data as plain values that JSON can carry between processes, and back."""

import types
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_plain(value: Any, leave_out: Collection[str] = ()) -> Any:
    """Return a dataclass, with all that is in it, as dicts, lists, texts and numbers."""
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value) and not isinstance(value, type):
        named = {each.name: getattr(value, each.name) for each in fields(value)}
        return {name: to_plain(each) for name, each in named.items() if name not in leave_out}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [to_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    return value


def from_plain(kind: type[T], value: Mapping[str, Any]) -> T:
    """Return the dataclass that to_plain() took apart."""
    return kind(**fields_from_plain(kind, value))


def fields_from_plain(kind: type[Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass by name."""
    whose: Any = kind
    hints = _get_hints(whose)
    return {name: _restore(hints[name], each) for name, each in value.items()}


@cache
def _get_hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _restore(hint: Any, value: Any) -> Any:
    if value is None or hint in (str, int, float, bool):
        return value
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return value
    if origin in (Union, types.UnionType):
        return _restore(next(each for each in inner if each is not type(None)), value)
    if origin is tuple:
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_restore(*pair) for pair in zip(kinds, value, strict=True))
    if origin in (frozenset, set, list):
        return origin(_restore(inner[0], each) for each in value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _restore(inner[1], each) for key, each in value.items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint[value]
    if is_dataclass(hint) and isinstance(hint, type):
        return from_plain(hint, value)
    if isinstance(hint, type) and issubclass(hint, tuple):  # a NamedTuple
        return hint(*map(_restore, _get_hints(hint).values(), value))
    return _freeze(value)


def _freeze(value: Any) -> Any:
    """Return a value of any kind, with tuples where JSON has lists."""
    return tuple(map(_freeze, value)) if isinstance(value, list) else value

"""A target: how to open a store under test, as often as needed, in this process or another."""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, overload

from goldfish.errors import TargetError

Claims = Literal["one opening", "one at a time", "one process", "one writer"]
CLAIMS: tuple[Claims, ...] = ("one opening", "one at a time", "one process", "one writer")
# Those of ChatMessage, spelled out: importing it would cost more than all the rest of this file.
MESSAGE_FIELDS = frozenset(
    {"role", "content", "id", "created_at", "name", "tool_calls", "tool_call_id", "metadata"}
)


@dataclass(frozen=True)
class Location:
    """Where another process finds the factory: by import, or else in its file."""

    module: str
    file: str
    name: str


@dataclass(frozen=True)
class Target:
    """A factory of stores, and what its memory never promised.

    ``claims`` limits the promises, ``carries`` names the fields of a message that are kept (all, if
    not given), ``retries=False`` says that ids do not make a retry a no-op, ``scoped_ids=False``
    that the id of a fact serves whoever has it, ``declines`` gives the reason by the code of each
    check whose promise the memory's documentation does not make. ``answers`` says that an agent
    writes replies of its own into the history, ``window`` that no more than so many of the newest
    messages of a session are kept, ``summarises`` that a summary quotes those that were.
    ``promises`` is what that
    documentation says of the memory's limits, and where. ``documented`` is the same about single
    promises that are tested all the same, by the code of a check, by a family, or by a claim for
    all that goes beyond it: what is broken there is told as broken, and documented as such.
    """

    name: str
    factory: Callable[..., Any]
    services: tuple[str, ...] = ()
    claims: Claims | None = None
    threads: bool = False
    answers: bool = False
    carries: frozenset[str] = MESSAGE_FIELDS
    retries: bool = True
    recalls: Literal["words", "meaning"] = "words"
    filters: Literal["equality", "comparison"] | None = "equality"
    scoped_ids: bool = True
    declines: Mapping[str, str] = field(default_factory=dict, hash=False)
    window: int | None = None
    summarises: bool = False
    promises: str = ""
    documented: Mapping[str, str] = field(default_factory=dict, hash=False)
    is_inspected: bool = field(default=False, compare=False)  # what its store declares is in it

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the factory."""
        return self.factory(*arguments, **options)

    @property
    def takes_ttl(self) -> bool:
        """Whether the factory can be asked for a store-wide expiry."""
        return "ttl" in inspect.signature(self.factory).parameters

    @property
    def location(self) -> Location | None:
        """How another process can import the factory; None if it is local to a function."""
        name = getattr(self.factory, "__qualname__", "<locals>")
        # A function knows its own module; of two with one name, sys.modules has only the newest.
        own = getattr(inspect.unwrap(self.factory), "__globals__", {}).get("__file__")
        file = own or getattr(sys.modules.get(self.factory.__module__), "__file__", None)
        if file is None or "<" in name:  # <locals>, <lambda>
            return None
        return Location(self.factory.__module__, file, name)


def _is_fields(value: object) -> bool:
    return isinstance(value, set | frozenset | list | tuple) and set(value) <= MESSAGE_FIELDS


def _is_reasons(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(each, str) for each in (*value, *value.values())
    )


FILTERS = {"equality", "comparison"}

# What a store may say of itself by an attribute, and what such an attribute looks like.
DECLARED_BY_STORES: dict[str, Callable[[Any], bool]] = {
    "claims": lambda value: isinstance(value, str) and value in CLAIMS,
    "carries": _is_fields,
    "retries": lambda value: isinstance(value, bool),
    "threads": lambda value: isinstance(value, bool),
    "answers": lambda value: isinstance(value, bool),
    "recalls": lambda value: isinstance(value, str) and value in {"words", "meaning"},
    "filters": lambda value: value is None or (isinstance(value, str) and value in FILTERS),
    "scoped_ids": lambda value: isinstance(value, bool),
    "declines": _is_reasons,
    "window": lambda value: type(value) is int and value > 0,
    "summarises": lambda value: isinstance(value, bool),
    "promises": lambda value: isinstance(value, str),
    "documented": _is_reasons,
}


def apply_declarations(store: object, target: Target) -> Target:
    """Return the target with what the store itself declares, as adapters do by attributes.

    A stranger's attribute of the same name that means something else is not a declaration.
    """
    said: dict[str, Any] = {
        name: value
        for name, is_one in DECLARED_BY_STORES.items()
        if hasattr(store, name) and is_one(value := getattr(store, name))
    }
    if "carries" in said:
        said["carries"] = frozenset(said["carries"]) | {"content"}
    return replace(target, **said, is_inspected=True)


@overload
def target(factory: Callable[..., Any], /) -> Target: ...


@overload
def target(
    *,
    name: str | None = None,
    services: Iterable[str] = (),
    claims: Claims | None = None,
    threads: bool = False,
    answers: bool = False,
    carries: Iterable[str] | None = None,
    retries: bool = True,
    recalls: Literal["words", "meaning"] = "words",
    filters: Literal["equality", "comparison"] | None = "equality",
    scoped_ids: bool = True,
    declines: Mapping[str, str] = ...,
    window: int | None = None,
    summarises: bool = False,
    promises: str = "",
    documented: Mapping[str, str] = ...,
) -> Callable[[Callable[..., Any]], Target]: ...


def target(factory: Callable[..., Any] | None = None, /, **declared: Any) -> Any:
    """Make a target of a factory; works with and without parentheses."""
    if factory is not None:
        return as_target(factory)
    return lambda made: _make_target(made, **declared)


def as_target(thing: object, name: str | None = None) -> Target:
    """Return the target itself, or one made of a bare factory."""
    if isinstance(thing, Target):
        return thing
    if not callable(thing):
        raise TargetError(
            f"{name or thing!r} is not a target: decorate a factory with @goldfish.target"
        )
    return _make_target(thing, name=name)


def _make_target(
    factory: Callable[..., Any],
    *,
    name: str | None = None,
    services: Iterable[str] = (),
    claims: Claims | None = None,
    carries: Iterable[str] | None = None,
    **others: Any,
) -> Target:
    if claims is not None and claims not in CLAIMS:
        raise TargetError(f"claims= must be one of {', '.join(map(repr, CLAIMS))} (got {claims!r})")
    kept = MESSAGE_FIELDS if carries is None else frozenset(carries) | {"content"}
    if unknown := kept - MESSAGE_FIELDS:
        wrong, fields = ", ".join(sorted(unknown)), ", ".join(sorted(MESSAGE_FIELDS))
        raise TargetError(f"carries= must name fields of a message, {fields} (got {wrong})")
    label = name or getattr(factory, "__name__", type(factory).__name__)
    return Target(str(label), factory, tuple(services), claims, carries=kept, **others)

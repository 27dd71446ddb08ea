"""A target: how to open a store under test, as often as needed, in this process or another."""

import importlib
import importlib.util
import inspect
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
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

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """What the factory makes."""
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


def declared_by(store: object, target: Target) -> Target:
    """The target with what the store itself declares, as adapters do by attributes.

    A stranger's attribute of the same name that means something else is not a declaration.
    """
    said: dict[str, Any] = {
        name: value
        for name, is_one in DECLARED_BY_STORES.items()
        if hasattr(store, name) and is_one(value := getattr(store, name))
    }
    if "carries" in said:
        said["carries"] = frozenset(said["carries"]) | {"content"}
    return replace(target, **said)


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
    return lambda made: _declared(made, **declared)


def as_target(thing: object, name: str | None = None) -> Target:
    """The target itself, or one made of a bare factory."""
    if isinstance(thing, Target):
        return thing
    if not callable(thing):
        raise TargetError(
            f"{name or thing!r} is not a target: decorate a factory with @goldfish.target"
        )
    return _declared(thing, name=name)


def _declared(
    factory: Callable[..., Any],
    *,
    name: str | None = None,
    services: Iterable[str] = (),
    claims: Claims | None = None,
    carries: Iterable[str] | None = None,
    **others: Any,
) -> Target:
    if claims is not None and claims not in CLAIMS:
        raise TargetError(f"claims={claims!r} is none of {', '.join(map(repr, CLAIMS))}")
    kept = MESSAGE_FIELDS if carries is None else frozenset(carries) | {"content"}
    if unknown := kept - MESSAGE_FIELDS:
        raise TargetError(f"carries= names no field of a message: {', '.join(sorted(unknown))}")
    label = name or getattr(factory, "__name__", type(factory).__name__)
    return Target(str(label), factory, tuple(services), claims, carries=kept, **others)


def load(module: str, name: str, *, label: str) -> Target:
    """The target of that name in an importable module."""
    return as_target(_attribute(importlib.import_module(module), name), label)


def load_file(path: Path, name: str, *, label: str) -> Target:
    """The target of that name in a Python file, whose directory is importable from then on."""
    name_of_module = _module_name(path)
    if name_of_module in sys.modules:
        return as_target(_attribute(sys.modules[name_of_module], name), label)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(name_of_module, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name_of_module] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name_of_module]
        raise
    return as_target(_attribute(module, name), label)


def _module_name(path: Path) -> str:
    """The file's own name, unless that would hide another module, as redis.py would."""
    known = sys.modules.get(path.stem)
    if getattr(known, "__file__", None) == str(path):
        return path.stem
    taken = known is not None or importlib.util.find_spec(path.stem) is not None
    return f"{path.stem}_{zlib.crc32(str(path).encode()):08x}" if taken else path.stem


def load_location(location: Location) -> Target:
    """The target at a location that another process described."""
    _make_importable(location)
    try:
        module = importlib.import_module(location.module)
    except ImportError:
        module = None
    if module is not None and getattr(module, "__file__", None) == location.file:
        return as_target(_attribute(module, location.name), location.name)
    return load_file(Path(location.file), location.name, label=location.name)


def _make_importable(location: Location) -> None:
    """Find the module's package as well, for pytest imports some that are not on the path."""
    names = location.module.split(".")
    path = Path(location.file).with_suffix("")
    if list(path.parts[-len(names) :]) == names:
        sys.path.append(str(path.parents[len(names) - 1]))


def _attribute(module: Any, name: str) -> Any:
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            there = [key for key, value in vars(module).items() if isinstance(value, Target)]
            hint = f"; its targets are {', '.join(there)}" if there else ""
            raise TargetError(f"{module.__name__} has no {name!r}{hint}")
        found = getattr(found, part)
    return found

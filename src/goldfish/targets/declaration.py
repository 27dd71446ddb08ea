"""A target: how to open a store under test, as often as needed, in this process or another."""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, overload

from goldfish.errors import TargetError
from goldfish.findings.absence import Absence
from goldfish.targets.agent_traits import AgentTraits
from goldfish.targets.forms import FORMS, OWN, Form
from goldfish.targets.methods import Interface
from goldfish.targets.traits import (
    CARRIES,
    FILTERS,
    REOPENING,
    RETRIES,
    SCOPED_IDS,
    TRAITS,
    WHOLE_BATCHES,
    WINDOW,
    Trait,
)

Claims = Literal["one opening", "one at a time", "one process", "one writer", "many processes"]
CLAIMS: tuple[Claims, ...] = (
    *("one opening", "one at a time", "one process", "one writer", "many processes"),
)
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
class Elsewhere:
    """A factory that only other processes import."""

    location: Location

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Raise: this process has not imported it."""
        raise TargetError(f"{self.location.name} is opened in other processes only")


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

    ``has`` and ``lacks`` are names of ``TRAITS``, ``ids`` a pattern of the ids that are taken;
    ``dialect`` is learnt: how the memory says what goldfish says otherwise. ``messages`` is the
    form in which it takes them. What is in ``declared`` was declared; of the rest, an interview may
    learn otherwise. ``guessed`` says that nobody has looked at it yet, so it is not opened.
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
    has: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    ids: str | None = None
    dialect: Mapping[str, Any] = field(default_factory=dict, hash=False)
    messages: Form = OWN
    guessed: bool = False
    agent: AgentTraits | None = None  # None: a memory
    declared: frozenset[str] = field(default=frozenset(), compare=False)
    is_inspected: bool = field(default=False, compare=False)  # what its store declares is in it
    interface: Interface | None = field(default=None, compare=False)  # as the interview saw it

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the factory."""
        return self.factory(*arguments, **options)

    def holds(self, trait: str) -> bool:
        """Return True if the memory is held to this trait of the table."""
        return trait not in self.lacks

    def disclaims(self, trait: str) -> bool:
        """Return True if whoever made the target said that it has no such trait."""
        return trait in self.lacks and trait in self.declared

    @property
    def has_whole_batches(self) -> bool:
        """Whether the messages of one call are stored together or not at all."""
        return self.holds(WHOLE_BATCHES)

    @property
    def absences(self) -> tuple[Absence, ...]:
        """What the interview found that this memory does not do."""
        return tuple(_list_absences(self))

    @property
    def takes_ttl(self) -> bool:
        """Whether the factory can be asked for a store-wide expiry."""
        return "ttl" in inspect.signature(self.factory).parameters

    @property
    def location(self) -> Location | None:
        """How another process can import the factory; None if it is local to a function."""
        if isinstance(own := getattr(self.factory, "location", None), Location):
            return own
        name = getattr(self.factory, "__qualname__", "<locals>")
        # A function knows its own module; of two with one name, sys.modules has only the newest.
        known = getattr(inspect.unwrap(self.factory), "__globals__", {}).get("__file__")
        file = known or getattr(sys.modules.get(self.factory.__module__), "__file__", None)
        if file is None or "<" in name:  # <locals>, <lambda>
            return None
        return Location(self.factory.__module__, file, name)


def _list_absences(target: Target) -> list[Absence]:
    missing = sorted(MESSAGE_FIELDS - target.carries)
    fields = f"carries={{{', '.join(map(repr, sorted(MESSAGE_FIELDS)))}}}"
    seen: list[tuple[Trait, bool]] = [
        (
            replace(CARRIES, absence=CARRIES.absence.format(_join(missing)), declaration=fields),
            bool(missing),
        ),
        (RETRIES, not target.retries),
        (FILTERS, target.filters is None),
        (SCOPED_IDS, not target.scoped_ids),
        (
            replace(WINDOW, absence=WINDOW.absence.format(target.window)),
            target.window is not None,
        ),
        (REOPENING, target.claims == "one opening"),
    ]
    learnt = [trait for trait, is_absent in seen if is_absent and trait.name not in target.declared]
    learnt += [TRAITS[name] for name in sorted(target.lacks) if name not in target.declared]
    return [Absence(each.name, each.absence, each.held_by) for each in learnt]


# What a declaration may say of a target, beside its name and its services.
DECLARED = frozenset(each.name for each in fields(Target)) - {
    *("name", "factory", "services", "dialect", "agent", "declared", "is_inspected", "interface")
}


def _join(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _is_fields(value: object) -> bool:
    return isinstance(value, set | frozenset | list | tuple) and set(value) <= MESSAGE_FIELDS


def _is_traits(value: object) -> bool:
    return isinstance(value, set | frozenset | list | tuple) and set(value) <= set(TRAITS)


def _is_reasons(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(each, str) for each in (*value, *value.values())
    )


# What a store may say of itself by an attribute, and what such an attribute looks like.
DECLARED_BY_STORES: dict[str, Callable[[Any], bool]] = {
    "claims": lambda value: isinstance(value, str) and value in CLAIMS,
    "carries": _is_fields,
    "retries": lambda value: isinstance(value, bool),
    "threads": lambda value: isinstance(value, bool),
    "answers": lambda value: isinstance(value, bool),
    "recalls": lambda value: isinstance(value, str) and value in {"words", "meaning"},
    "filters": lambda value: value is None or value in ("equality", "comparison"),
    "scoped_ids": lambda value: isinstance(value, bool),
    "declines": _is_reasons,
    "window": lambda value: type(value) is int and value > 0,
    "summarises": lambda value: isinstance(value, bool),
    "promises": lambda value: isinstance(value, str),
    "documented": _is_reasons,
    "has": _is_traits,
    "lacks": _is_traits,
}


def apply_declarations(store: object, target: Target) -> Target:
    """Return the target with what the store itself declares, as adapters do by attributes.

    A stranger's attribute of the same name that means something else is not a declaration.
    """
    said: dict[str, Any] = {
        name: value
        for name, is_one in DECLARED_BY_STORES.items()
        if hasattr(store, name)
        and is_one(value := getattr(store, name))
        and not _is_setting(store, name, value)
    }
    if "carries" in said:
        said["carries"] = frozenset(said["carries"]) | {"content"}
    said |= {name: frozenset(said[name]) for name in ("has", "lacks") if name in said}
    return replace(
        target, **said, declared=target.declared | _name_declared(said), is_inspected=True
    )


def _is_setting(store: object, name: str, value: Any) -> bool:
    """Return True if a stranger's object has its own use for this name, as for ``retries=True``.

    A number or a flag is then one of the object. A class that has it states it of all its objects.
    """
    is_ours = type(store).__module__.partition(".")[0] == "goldfish"
    return not is_ours and isinstance(value, int) and not hasattr(type(store), name)


def is_fully_declared(target: Target) -> bool:
    """Return True if there is nothing that an interview could learn."""
    return target.declared >= {*DECLARED_BY_STORES, *TRAITS}


def hold_to_everything(target: Target) -> Target:
    """Return the target with every trait declared as it stands: there is nothing to ask about."""
    return replace(target, declared=frozenset({*DECLARED_BY_STORES, *TRAITS}))


def learn(target: Target, learnt: Mapping[str, Any]) -> Target:
    """Return the target with what an interview learnt of it; what is declared stays as it is."""
    news = {name: value for name, value in learnt.items() if name not in target.declared}
    if "carries" in news:
        news["carries"] = frozenset(news["carries"]) | {"content"}
    lacks = frozenset(news.pop("lacks", ())) - target.declared
    return replace(target, **news, lacks=target.lacks | lacks)


def _name_declared(said: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of what was declared: fields of the target, and traits of the table."""
    traits = {*said.get("has", ()), *said.get("lacks", ())}
    ids = {"any_ids"} if "ids" in said else set()
    return frozenset({*said, *traits, *ids} - {"has", "lacks"})


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
    has: Iterable[str] = (),
    lacks: Iterable[str] = (),
    ids: str | None = None,
    messages: Form = ...,
    guessed: bool = False,
) -> Callable[[Callable[..., Any]], Target]: ...


def target(factory: Callable[..., Any] | None = None, /, **declared: Any) -> Any:
    """Make a target of a factory; works with and without parentheses."""
    if factory is not None:
        return as_target(factory)
    return lambda made: make_target(made, **declared)


def as_target(thing: object, name: str | None = None) -> Target:
    """Return the target itself, or one made of a bare factory."""
    if isinstance(thing, Target):
        return thing
    if not callable(thing):
        raise TargetError(
            f"{name or thing!r} is not a target: decorate a factory with @goldfish.target"
        )
    return make_target(thing, name=name)


def make_target(
    factory: Callable[..., Any],
    *,
    name: str | None = None,
    services: Iterable[str] = (),
    **said: Any,
) -> Target:
    """Return the target of a factory, with what it declares."""
    refuse_unknown(said, DECLARED)
    claims = said.get("claims")
    if claims is not None and claims not in CLAIMS:
        raise TargetError(f"claims= must be one of {', '.join(map(repr, CLAIMS))} (got {claims!r})")
    if said.get("messages", OWN) not in FORMS:
        forms, given = ", ".join(map(repr, FORMS)), said["messages"]
        raise TargetError(f"messages= must be one of {forms} (got {given!r})")
    if said.get("carries", ()) is None:
        del said["carries"]
    if "carries" in said:
        said["carries"] = _check_names("carries", {*said["carries"], "content"}, MESSAGE_FIELDS)
    for each in ("has", "lacks"):
        if each in said:
            said[each] = _check_names(each, said[each], frozenset(TRAITS))
    if "ids" in said:
        _check_pattern(said["ids"])
    label = name or getattr(factory, "__name__", type(factory).__name__)
    return Target(str(label), factory, tuple(services), **said, declared=_name_declared(said))


def refuse_unknown(said: Iterable[str], known: Iterable[str]) -> None:
    """Raise a TypeError about an argument of a declaration that there is none of."""
    known = {*known, "name", "services"}
    for each in sorted(set(said) - known):
        from goldfish.targets.lookup import find_nearest  # only where something is wrong

        near = find_nearest(each, known)
        meant = " or ".join(near) if near else f"one of {', '.join(sorted(known))}"
        raise TypeError(f"there is no argument {each}= of a target: did you mean {meant}?")


def _check_names(argument: str, given: Iterable[str], known: frozenset[str]) -> frozenset[str]:
    if unknown := frozenset(given) - known:
        what = "fields of a message" if argument == "carries" else "traits of a memory"
        wrong, names = ", ".join(sorted(unknown)), ", ".join(sorted(known))
        raise TargetError(f"{argument}= must name {what}, {names} (got {wrong})")
    return frozenset(given)


def _check_pattern(pattern: str | None) -> None:
    try:
        re.compile(pattern or "")
    except re.error as error:
        raise TargetError(f"ids= must be a regular expression (got {pattern!r}: {error})") from None

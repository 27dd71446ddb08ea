"""What a command answers to ``initialize``: its name, its methods, and what it declares."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from goldfish.commands.errors import ProtocolError
from goldfish.history.operations import METHODS
from goldfish.services.pool import SERVICES
from goldfish.targets.declaration import DECLARED_BY_STORES
from goldfish.targets.lookup import find_nearest

PROTOCOL = 1
# What a target declares that only its factory could say in Python, and what is of the protocol.
DECLARED = {*DECLARED_BY_STORES, "services", "ids", "numbers"} - {"threads"}
SERVED = {name for name in METHODS if name not in {"aclose", "close"}}
# Numbers that are doubles: no promise about integers beyond 2**53 is made.
DOUBLES = dict.fromkeys(("FID16", "REC18"), "numbers are doubles: it declares no larger integers")


@dataclass(frozen=True)
class Introduction:
    """The answer to ``initialize``, with nothing wrong in it."""

    name: str
    methods: Mapping[str, list[str]]
    declares: Mapping[str, Any] = field(default_factory=dict)

    @property
    def doubles(self) -> bool:
        """Whether its numbers are doubles, as those of JavaScript are."""
        return self.declares.get("numbers") == "double"

    @property
    def services(self) -> tuple[str, ...]:
        """The servers that it needs."""
        return tuple(self.declares.get("services", ()))

    @property
    def traits(self) -> dict[str, Any]:
        """What it declares of its memory, as a target has it."""
        own = {"services", "numbers"}
        traits = {name: value for name, value in self.declares.items() if name not in own}
        if self.doubles:
            traits["declines"] = {**DOUBLES, **traits.get("declines", {})}
        return traits


def read_introduction(answer: Any) -> Introduction:
    """Return what the command says of itself; a ProtocolError has the first thing wrong with it."""
    for problem in find_problems(answer):
        raise ProtocolError(problem)
    return Introduction(answer["name"], answer["methods"], answer.get("declares", {}))


def find_problems(answer: Any) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with an answer to ``initialize``."""
    if not isinstance(answer, dict):
        yield f"answered initialize with {answer!r:.80}: answer with name, methods and declares"
        return
    if answer.get("protocol", PROTOCOL) != PROTOCOL:
        yield f"speaks protocol {answer['protocol']!r}: goldfish speaks protocol {PROTOCOL}"
    if not isinstance(answer.get("name"), str) or not answer["name"]:
        yield f"has no name: answer initialize with a text as name (got {answer.get('name')!r:.80})"
    methods = answer.get("methods")
    if isinstance(methods, dict) and methods:
        yield from _find_wrong_methods(methods)
    else:
        yield (
            "names no methods: answer initialize with methods as an object, such as "
            f'{{"add_messages": ["session_id", "messages"]}} (got {methods!r:.80})'
        )
    declares = answer.get("declares", {})
    if isinstance(declares, dict):
        yield from _find_wrong_declarations(declares)
    else:
        yield f"declares {declares!r:.80}: declares must be an object"


def _find_wrong_methods(methods: dict[str, Any]) -> Iterator[str]:
    for name, parameters in methods.items():
        if name not in SERVED:
            near = find_nearest(name, SERVED)
            hint = f"did you mean {' or '.join(near)}?" if near else "docs/protocol.md lists them"
            yield f"has a method {name!r}, which is not in the protocol: {hint}"
        elif not isinstance(parameters, list) or not all(isinstance(it, str) for it in parameters):
            yield f"must list the parameters of {name} by name (got {parameters!r:.80})"
        elif lacking := [each for each in METHODS[name].positional if each not in parameters]:
            yield (
                f"does not take {' and '.join(lacking)} in {name}: "
                f"expected {list(METHODS[name].positional)} (got {parameters!r:.80})"
            )
    has = set(methods)
    facts = "remember" in has and has & {"recall", "list_facts"}
    if not {"add_messages", "get_history"} <= has and not facts:
        yield (
            "is not a memory: it needs add_messages and get_history, or remember and recall or "
            f"list_facts (got {', '.join(methods)})"
        )


def _find_wrong_declarations(declares: dict[str, Any]) -> Iterator[str]:
    for name, value in declares.items():
        if name not in DECLARED:
            near = find_nearest(name, DECLARED)
            hint = f"did you mean {near[0]}?" if near else f"use {', '.join(sorted(DECLARED))}"
            yield f"declares {name!r}, which means nothing here: {hint}"
        elif not _is_declaration(name, value):
            yield f"declares {name} as {value!r:.80}, which it cannot be: see docs/protocol.md"


def _is_declaration(name: str, value: Any) -> bool:
    if name == "services":
        return isinstance(value, list) and all(each in SERVICES for each in value)
    if name == "numbers":
        return value in ("double", "exact")
    if name == "ids":
        return isinstance(value, str)
    return DECLARED_BY_STORES[name](value)

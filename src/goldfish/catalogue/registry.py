"""A check: one promise, as one async function with a stable code."""

import importlib
import pkgutil
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from goldfish.catalogue.requirements import (
    AnAgent,
    Need,
    OtherProcess,
    Reopening,
    Retries,
    ScopedIds,
    Server,
    StoreTTL,
    Summaries,
    TextIds,
    Window,
    carries,
    filters,
    method,
    power,
    recalls,
    service,
    spelled,
    trait,
)
from goldfish.findings.families import FAMILIES

__all__ = [
    "FAMILIES",
    "SUITES",
    "Check",
    "Need",
    "OtherProcess",
    "Reopening",
    "Retries",
    "ScopedIds",
    "Server",
    "StoreTTL",
    "Subject",
    "Suite",
    "Summaries",
    "TextIds",
    "Window",
    "carries",
    "catalogue",
    "check",
    "filters",
    "get_check",
    "is_listed",
    "method",
    "power",
    "recalls",
    "service",
    "spelled",
    "trait",
]

# It is given the memory under test, or the agent.
Function = Callable[[Any], Awaitable[None]]
Suite = Literal["smoke", "standard", "soak"]
Subject = Literal["messages", "facts", "state", "prompts"]
SUITES: tuple[Suite, ...] = ("smoke", "standard", "soak")


# What a memory must have so that anything can be asked of it about one of these.
ESSENTIALS: dict[Subject, tuple[Need, ...]] = {
    "messages": (method("add_messages"), method("get_history")),
    "facts": (method("remember"),),
    "state": (method("set_state"), method("get_state"), trait("merged_state")),
    "prompts": (AnAgent,),
}


@dataclass(frozen=True)
class Check:
    """One promise of the catalogue."""

    code: str
    function: Function
    needs: tuple[Need, ...] = ()
    suite: Suite = "standard"
    own_servers: bool = False  # it does harm to the servers, so nobody else may use them
    about: Subject = "messages"
    promise: str = ""  # what it holds a memory to, as a sentence
    incident: str = ""  # a real case, with its source
    basic: bool = False  # it asks for ordinary calls with ordinary values, on which others build

    @property
    def family(self) -> str:
        """The letters of the code."""
        return self.code[:3]

    @property
    def name(self) -> str:
        """The promise as a name."""
        return self.function.__name__

    @property
    def since(self) -> str:
        """The first edition that has it."""
        from goldfish.catalogue.editions import find_since  # which imports this module

        return find_since(self.code)

    @property
    def every_need(self) -> tuple[Need, ...]:
        """What it requires of a target, with what all checks about its subject require."""
        return ESSENTIALS[self.about] + self.needs


_checks: dict[str, Check] = {}


def check(
    code: str,
    promise: str,
    *,
    incident: str,
    needs: Iterable[Need] = (),
    suite: Suite = "standard",
    own_servers: bool = False,
    about: Subject = "messages",
    basic: bool = False,
) -> Callable[[Function], Function]:
    """Register a function as a check, under a code that never changes."""

    def enter(function: Function) -> Function:
        if not re.fullmatch(r"[A-Z]{3}\d\d", code) or code[:3] not in FAMILIES:
            raise ValueError(f"{code!r} is not a code: a family and two digits")
        if code in _checks and _checks[code].name != function.__name__:
            raise ValueError(f"{code} is taken by {_checks[code].name}")
        _checks[code] = Check(
            code, function, tuple(needs), suite, own_servers, about, promise, incident, basic
        )
        return function

    return enter


def get_check(code: str) -> Check:
    """Return a check by its code, without a search for modules if it is imported already."""
    return _checks[code] if code in _checks else catalogue()[code]


def is_listed(check: Check) -> bool:
    """Return True if the catalogue has this very check, so that its code stands for it."""
    return _checks.get(check.code) is check


def catalogue() -> Mapping[str, Check]:
    """Return every check by its code, sorted by family and number."""
    import goldfish.catalogue

    for module in pkgutil.walk_packages(goldfish.catalogue.__path__, "goldfish.catalogue."):
        importlib.import_module(module.name)
    order = list(FAMILIES)
    return dict(sorted(_checks.items(), key=lambda item: (order.index(item[0][:3]), item[0])))

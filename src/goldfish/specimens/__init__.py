"""Stores that are wrong in exactly one way, kept to prove that each check can fail.

A specimen imports messages, their encoding and the references beside it, never our own stores.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from goldfish.findings.families import OF_AGENTS
from goldfish.targets.agents import make_agent
from goldfish.targets.declaration import Target, as_target

Kind = TypeVar("Kind", bound=type)


@dataclass(frozen=True)
class Specimen:
    """A broken store, what is wrong with it, the check that catches it, and the finding.

    ``explains`` holds the families that its bug may break; no other family may blame it.
    """

    name: str
    store: type
    bug: str
    caught_by: str
    finding: str
    explains: frozenset[str]

    @property
    def services(self) -> tuple[str, ...]:
        """Return the servers that it needs."""
        return getattr(self.store, "services", ())

    @property
    def target(self) -> Target:
        """Return the target that opens it."""
        name = f"specimen:{self.name}"
        if self.caught_by[:3] in OF_AGENTS:
            declared = getattr(self.store, "declares", {})
            return make_agent(self.store, name=name, services=self.services, **declared)
        return replace(as_target(self.store, name), services=self.services)


_specimens: dict[str, Specimen] = {}


def specimen(
    name: str, caught_by: str, finding: str, *, explains: str = ""
) -> Callable[[Kind], Kind]:
    """Enter a class into the gallery; its attribute ``bug`` says what is wrong with it.

    ``explains`` names the other families that the bug may break, separated by spaces.
    """

    def enter(store: Kind) -> Kind:
        where = (store.__module__, store.__qualname__)
        known = _specimens.get(name)
        if known and (known.store.__module__, known.store.__qualname__) != where:
            raise ValueError(f"two specimens are named {name!r}: rename one")
        families = frozenset({caught_by[:3], *explains.split()})
        _specimens[name] = Specimen(name, store, vars(store)["bug"], caught_by, finding, families)
        return store

    return enter


def variant(
    name: str, base: type, caught_by: str, finding: str, *, explains: str = ""
) -> Callable[..., None]:
    """Make a class of a base and a few attributes, ``bug`` among them, and enter it."""
    module = sys._getframe(1).f_globals["__name__"]

    def make(*, bug: str, **attributes: Any) -> None:
        store = type(name, (base,), {"__module__": module, "bug": bug, **attributes})
        # A pod looks for the class by its name, in the module that it names.
        setattr(sys.modules[module], name, store)
        specimen(name, caught_by, finding, explains=explains)(store)

    return make


def gallery() -> Mapping[str, Specimen]:
    """Return every specimen by its name."""
    for module in pkgutil.walk_packages(__path__, "goldfish.specimens."):
        importlib.import_module(module.name)
    return dict(sorted(_specimens.items()))

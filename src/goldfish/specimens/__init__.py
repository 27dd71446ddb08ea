"""Stores that are wrong in exactly one way, kept to prove that each check can fail."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from goldfish.targets.declaration import Target, as_target

Kind = TypeVar("Kind", bound=type)


@dataclass(frozen=True)
class Specimen:
    """A broken store, the check that catches it, and as what.

    ``explains`` are the families that its one bug may break; no other may blame it.
    """

    name: str
    store: type
    caught_by: str
    finding: str
    explains: frozenset[str]
    services: tuple[str, ...] = ()

    @property
    def bug(self) -> str:
        """What is wrong with it, in a sentence."""
        return (self.store.__doc__ or "").partition("\n")[0]

    @property
    def target(self) -> Target:
        """How to open it."""
        return replace(as_target(self.store, f"specimen:{self.name}"), services=self.services)


_specimens: dict[str, Specimen] = {}


def specimen(
    name: str,
    *,
    caught_by: str,
    finding: str,
    explains: tuple[str, ...] = (),
    services: tuple[str, ...] = (),
) -> Callable[[Kind], Kind]:
    """Enter a store class into the gallery."""

    def enter(store: Kind) -> Kind:
        families = frozenset({caught_by[:3], *explains})
        known = _specimens.get(name)
        if known and (known.store.__module__, known.store.__qualname__) != (
            store.__module__,
            store.__qualname__,
        ):
            raise ValueError(f"there are two specimens called {name}")
        _specimens[name] = Specimen(name, store, caught_by, finding, families, services)
        return store

    return enter


def gallery() -> Mapping[str, Specimen]:
    """Every specimen by its name."""
    for module in pkgutil.walk_packages(__path__, "goldfish.specimens."):
        importlib.import_module(module.name)
    return dict(sorted(_specimens.items()))

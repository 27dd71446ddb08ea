"""Editions: the checks that goldfish had at a time, as lists that never change.

A pinned edition asks the same for ever: the list of an edition has its codes, and for each the
suite and the profiles that it had then.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

from goldfish.catalogue.profiles import list_aspects
from goldfish.catalogue.registry import SUITES, Check, Suite
from goldfish.errors import UsageError
from goldfish.targets.lookup import suggest_name

LATEST = "latest"  # all checks, also those that are in no edition yet
UNRELEASED = "unreleased"
SUFFIX = ".txt"


@dataclass(frozen=True)
class Place:
    """Where an edition has a check: its suite, and the profiles that it takes."""

    suite: Suite
    aspects: frozenset[str]


@functools.cache
def list_editions() -> tuple[str, ...]:
    """Return the names of all editions, oldest first."""
    names = [each.name for each in files(__name__).iterdir() if each.name.endswith(SUFFIX)]
    return tuple(sorted((name.removesuffix(SUFFIX) for name in names), key=_sort_key))


@functools.cache
def read_edition(name: str) -> dict[str, Place]:
    """Return the place of each code of an edition; a UsageError names the nearest."""
    if name not in list_editions():
        see = f"use {', '.join([*list_editions(), LATEST])}"
        raise UsageError(suggest_name("edition", name, [*list_editions(), LATEST], see=see))
    text = files(__name__).joinpath(name + SUFFIX).read_text(encoding="ascii")
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {code: _parse_place(*rest) for code, *rest in lines}


def place_check(check: Check, edition: str | None = None) -> Place | None:
    """Return where an edition has a check, or None if it has not; without one, where it is now."""
    if edition in {None, LATEST}:
        return Place(check.suite, list_aspects(check))
    return read_edition(str(edition)).get(check.code)


def find_since(code: str) -> str:
    """Return the first edition that has a check."""
    return next((name for name in list_editions() if code in read_edition(name)), UNRELEASED)


def name_current(checks: Iterable[Check]) -> str:
    """Return the newest edition, with a plus if there are checks that it does not have."""
    newest = list_editions()[-1]
    return newest if {check.code for check in checks} <= set(read_edition(newest)) else f"{newest}+"


def freeze(checks: Iterable[Check]) -> str:
    """Return the list of a new edition: a line for each check."""
    lines = ["# code, suite, profiles; an edition that was released never changes"]
    for check in sorted(checks, key=lambda each: each.code):
        lines.append(" ".join([check.code, check.suite, *sorted(list_aspects(check))]))
    return "\n".join(lines) + "\n"


def _parse_place(suite: str, *aspects: str) -> Place:
    return Place(next(each for each in SUITES if each == suite), frozenset(aspects))


def _sort_key(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(".")))

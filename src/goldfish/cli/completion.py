"""The words that a shell offers after Tab: targets, codes, families, suites, starters.

A person waits for it, so codes and specimens are read from the sources: importing them would take
many times as long.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).parents[1]
CODE = re.compile(r'^@check\w*\(\s*"([A-Z]{3}\d\d)"', re.MULTILINE)
SPECIMEN = re.compile(r'^(?:@specimen|variant)\(\s*"([^"]+)"', re.MULTILINE)
SPECIMENS = "specimen:"


def targets(incomplete: str) -> list[str]:
    """Return names of targets; the hundreds of specimens only after ``specimen:``."""
    if incomplete.startswith(SPECIMENS):
        names = (f"{SPECIMENS}{each}" for each in list_specimens())
        return _keep_matching(names, incomplete)
    from goldfish.integrations.libraries import BUILT_INS
    from goldfish.targets.names import registered_targets

    return _keep_matching([*BUILT_INS, *registered_targets(), SPECIMENS], incomplete)


def checks(incomplete: str) -> list[str]:
    """Return codes and families, also for the last of several separated by commas."""
    before, comma, last = incomplete.rpartition(",")
    return [
        f"{before}{comma}{each}"
        for each in _keep_matching([*_list_families(), *list_codes()], last.upper())
    ]


def suites(incomplete: str) -> list[str]:
    """Return the suites, the quickest first."""
    from goldfish.catalogue.registry import SUITES

    return _keep_matching(SUITES, incomplete)


def editions(incomplete: str) -> list[str]:
    """Return the editions, newest first, and the word for all checks."""
    from goldfish.catalogue.editions import LATEST, list_editions

    return _keep_matching([*reversed(list_editions()), LATEST], incomplete)


def profiles(incomplete: str) -> list[str]:
    """Return the profiles."""
    from goldfish.catalogue.profiles import PROFILES

    return _keep_matching(PROFILES, incomplete)


def explained(incomplete: str) -> list[str]:
    """Return codes, and the words for findings."""
    from goldfish.findings.kinds import KINDS

    return [
        *_keep_matching(KINDS, incomplete.lower()),
        *_keep_matching(list_codes(), incomplete.upper()),
    ]


def starters(incomplete: str) -> list[str]:
    """Return the files that ``goldfish init`` can write."""
    from goldfish.cli.init.starters import STARTERS

    return _keep_matching(STARTERS, incomplete)


def model_actions(incomplete: str) -> list[str]:
    """Return the actions of ``goldfish model``."""
    return _keep_matching(("install", "path"), incomplete)


def list_codes() -> list[str]:
    """Return every code of the catalogue."""
    return sorted(_search_sources(CODE, "catalogue"))


def list_specimens() -> list[str]:
    """Return the name of every specimen."""
    return sorted(_search_sources(SPECIMEN, "specimens"))


def _search_sources(pattern: re.Pattern[str], folder: str) -> Iterator[str]:
    for path in (HERE / folder).rglob("*.py"):
        yield from pattern.findall(path.read_text(encoding="utf-8"))


def _list_families() -> list[str]:
    from goldfish.findings.families import FAMILIES

    return list(FAMILIES)


def _keep_matching(names: Iterable[str], incomplete: str) -> list[str]:
    return [each for each in names if each.startswith(incomplete)]

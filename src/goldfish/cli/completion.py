"""What a shell offers after Tab: targets, codes, families, suites, starters, words.

A person waits for it, so codes and specimens are read from the sources, which takes a fraction of
the time that it takes to import them.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).parents[1]
CODE = re.compile(r'^@check\(\s*"([A-Z]{3}\d\d)"', re.MULTILINE)
SPECIMEN = re.compile(r'^(?:@specimen|variant)\(\s*"([^"]+)"', re.MULTILINE)
SPECIMENS = "specimen:"


def targets(incomplete: str) -> list[str]:
    """Names of targets; specimens, of which there are hundreds, for who asks for them."""
    if incomplete.startswith(SPECIMENS):
        names = (f"{SPECIMENS}{each}" for each in specimens())
        return _beginning(names, incomplete)
    from goldfish.targets.names import BUILT_INS, registered_targets

    return _beginning([*BUILT_INS, *registered_targets(), SPECIMENS], incomplete)


def checks(incomplete: str) -> list[str]:
    """Codes and families, also the last of several with commas between them."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{each}" for each in _beginning([*_families(), *codes()], last.upper())]


def families(incomplete: str) -> list[str]:
    """The families of checks."""
    return _beginning(_families(), incomplete.upper())


def suites(incomplete: str) -> list[str]:
    """The suites, the quickest first."""
    from goldfish.catalogue.registry import SUITES

    return _beginning(SUITES, incomplete)


def explained(incomplete: str) -> list[str]:
    """Codes, and the words for findings."""
    from goldfish.findings.kinds import KINDS

    return [*_beginning(KINDS, incomplete.lower()), *_beginning(codes(), incomplete.upper())]


def starters(incomplete: str) -> list[str]:
    """The files that ``goldfish init`` can write."""
    from goldfish.cli.init.starters import OWN, STARTERS

    return _beginning((each.name for each in (*STARTERS, OWN)), incomplete)


def model_actions(incomplete: str) -> list[str]:
    """What can be done with the model."""
    return _beginning(("install", "path"), incomplete)


def codes() -> list[str]:
    """Every code of the catalogue."""
    return sorted(_found(CODE, "catalogue"))


def specimens() -> list[str]:
    """Every specimen of the gallery."""
    return sorted(_found(SPECIMEN, "specimens"))


def _found(pattern: re.Pattern[str], folder: str) -> Iterator[str]:
    for path in (HERE / folder).rglob("*.py"):
        yield from pattern.findall(path.read_text(encoding="utf-8"))


def _families() -> list[str]:
    from goldfish.findings.families import FAMILIES

    return list(FAMILIES)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [each for each in names if each.startswith(incomplete)]

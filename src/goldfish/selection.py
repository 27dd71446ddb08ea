"""Which checks of the catalogue a run is about: --only, --skip, --suite."""

from collections.abc import Iterable, Mapping

from goldfish.check import FAMILIES, SUITES, Check
from goldfish.errors import UsageError
from goldfish.usage import not_found

LISTED = "`goldfish checks` lists them"


def select(
    catalogue: Mapping[str, Check],
    *,
    only: Iterable[str] = (),
    skip: Iterable[str] = (),
    suite: str = "standard",
) -> list[Check]:
    """The checks of that suite and the smaller ones; a code in ``only`` counts in any suite."""
    wanted, unwanted = named(catalogue, only), named(catalogue, skip)
    if suite not in SUITES:
        raise UsageError(not_found("suite", suite, SUITES, see=f"use {', '.join(SUITES)}"))
    suites = SUITES[: SUITES.index(suite) + 1]
    chosen = [
        check
        for check in catalogue.values()
        if (check.code in wanted)
        or (check.suite in suites and (not wanted or check.family in wanted))
        if not {check.code, check.family} & unwanted
    ]
    if not chosen:
        raise UsageError("no check is left to run: name fewer in --skip, or a larger --suite")
    return chosen


def named(catalogue: Mapping[str, Check], words: Iterable[str]) -> set[str]:
    """The codes and families in words like "DUR02" or "iso,ord"."""
    names = {part.strip().upper() for word in words for part in word.split(",")} - {""}
    for name in sorted(names):
        if name not in catalogue and name not in FAMILIES:
            raise UsageError(not_found("check", name, [*catalogue, *FAMILIES], see=LISTED))
    return names

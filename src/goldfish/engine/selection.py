"""Selects the checks of a run (by code, suite, edition, profile), and puts them in order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from goldfish.catalogue.editions import (
    LATEST,
    UNRELEASED,
    Place,
    find_since,
    place_check,
)
from goldfish.catalogue.registry import SUITES, Check
from goldfish.errors import UsageError
from goldfish.findings.families import FAMILIES, OF_AGENTS
from goldfish.targets.declaration import Target
from goldfish.targets.lookup import suggest_name

LISTED = "`goldfish checks` lists them"


def select(
    catalogue: Mapping[str, Check],
    *,
    only: Iterable[str] = (),
    skip: Iterable[str] = (),
    suite: str = "standard",
    edition: str | None = None,
    profiles: Sequence[str] = (),
) -> list[Check]:
    """Return the checks of a suite and of the smaller ones, as far as edition and profiles go.

    A code in ``only`` is in any suite and profile.
    """
    wanted, unwanted = parse_names(catalogue, only), parse_names(catalogue, skip)
    if suite not in SUITES:
        raise UsageError(suggest_name("suite", suite, SUITES, see=f"use {', '.join(SUITES)}"))
    suites = SUITES[: SUITES.index(suite) + 1]
    places = {code: place_check(check, edition) for code, check in catalogue.items()}
    _refuse_newer(edition, [code for code in wanted & set(places) if places[code] is None])
    chosen = [
        check
        for check in catalogue.values()
        if (place := places[check.code]) is not None
        if check.code in wanted
        or (
            place.suite in suites
            and _fits(place, profiles)
            and (not wanted or check.family in wanted)
        )
        if not {check.code, check.family} & unwanted
    ]
    if not chosen:
        raise UsageError(
            "no check is left to run: name fewer in --skip, or a larger --suite or --profile"
        )
    return chosen


def _fits(place: Place, profiles: Sequence[str]) -> bool:
    return not profiles or place.aspects <= set(profiles)


def _refuse_newer(edition: str | None, codes: Sequence[str]) -> None:
    """Raise if a check is asked for by its code that the edition does not have."""
    for code in sorted(codes):
        since = find_since(code)
        why = "is in no edition yet" if since == UNRELEASED else f"is new in edition {since}"
        raise UsageError(f"{code} {why}, and {edition} is asked for: use --edition {LATEST}")


def choose_for(target: Target, checks: Sequence[Check]) -> list[Check]:
    """Return those of the checks that are about agents, if the target is one, else the others."""
    is_agent = target.agent is not None
    chosen = [check for check in checks if (check.family in OF_AGENTS) is is_agent]
    if not chosen:
        kind, families = ("an agent", "CTX") if is_agent else ("a memory", "all families but CTX")
        raise UsageError(f"no check is left to run: {target.name} is {kind}; use {families}")
    return chosen


def order_checks(checks: Sequence[Check], *, in_haste: bool = False) -> list[Check]:
    """Return the checks in the order of a run: smaller suites first, the families in turn.

    So a run that is cut short has seen something of every family, and what is dear, which lies
    side by side in the catalogue, is spread over the run. In haste it comes last: a dozen other
    checks take the time of one.
    """
    seen: Counter[str] = Counter()
    places = {}
    for check in checks:
        late = in_haste and is_dear(check)
        places[check.code] = (SUITES.index(check.suite), late, seen[check.family])
        seen[check.family] += 1
    return sorted(checks, key=lambda check: places[check.code])


def is_dear(check: Check) -> bool:
    """Return True if a check takes seconds: a server of its own, many callers, long sequences."""
    return check.own_servers or check.family in {"CON", "SEQ"}


def parse_names(catalogue: Mapping[str, Check], words: Iterable[str]) -> set[str]:
    """Return the codes and families in words like "DUR02" or "iso,ord"."""
    names = {part.strip().upper() for word in words for part in word.split(",")} - {""}
    for name in sorted(names):
        if name not in catalogue and name not in FAMILIES:
            raise UsageError(suggest_name("check", name, [*catalogue, *FAMILIES], see=LISTED))
    return names

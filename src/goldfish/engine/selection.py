"""Selects the checks of a run (--only, --skip, --suite), and puts them in order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

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
) -> list[Check]:
    """Return the checks of a suite and of the smaller ones; a code in ``only`` is in any suite."""
    wanted, unwanted = parse_names(catalogue, only), parse_names(catalogue, skip)
    if suite not in SUITES:
        raise UsageError(suggest_name("suite", suite, SUITES, see=f"use {', '.join(SUITES)}"))
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

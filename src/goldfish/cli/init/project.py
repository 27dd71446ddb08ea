"""Surveys a project: the names that it imports, the packages that it requires, its settings."""

import ast
import os
import re
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldfish.cli.init.agents import FoundAgent, find_agents
from goldfish.cli.init.memories import FoundMemory, find_memories
from goldfish.cli.init.openers import Opener
from goldfish.cli.init.savers import find_savers
from goldfish.cli.init.sources import OF_TESTS, Source, Sources, find_root

MOST_FILES, LARGEST_FILE = 5_000, 1_000_000  # sources to read, and the bytes of one
SKIPPED = {"node_modules", "site-packages", "__pycache__", "build", "dist", "venv"}
SETTING = re.compile(r"[A-Z0-9_]*(REDIS|VALKEY|POSTGRES|PG|DATABASE|DB|SQLITE)[A-Z0-9_]*")
SCRIPT = re.compile(r"package\.json|(?!.*\.config\.).+\.[cm]?[jt]sx?")
REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass
class Project:
    """What a project uses: imports with the file of each, requirements, settings, sources, agents.

    The values of settings are never stored.
    """

    imports: dict[str, str] = field(default_factory=dict)
    requirements: set[str] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)
    agents: list[FoundAgent] = field(default_factory=list)
    memories: list[FoundMemory] = field(default_factory=list)
    unused: list[Opener] = field(default_factory=list)  # what opens one, but not the sandbox's
    local: set[str] = field(default_factory=set)  # its own modules, which hide installed ones
    sources: Sources = field(default_factory=Sources)
    scripts: str = ""  # its first file of JavaScript or TypeScript, if that is its language

    def importing(
        self, package: str, name: str = "", like: re.Pattern[str] | None = None
    ) -> str | None:
        """Return the first import from a package, or of that name from it, or one like that."""
        if package.partition(".")[0] in self.local:
            return None
        for dotted in self.imports:
            within = dotted == package or dotted.startswith(f"{package}.")
            named = not name or dotted.rpartition(".")[2] == name
            if within and named and (like is None or like.search(dotted)):
                return dotted
        return None


def survey(root: Path) -> Project:
    """Read the sources and the declarations of a project; skip what cannot be read."""
    project = Project(local=_modules_in(root) | _modules_in(root / "src"))
    trees: dict[str, ast.Module] = {}
    for number, path in enumerate(_sources(root)):
        if number >= MOST_FILES:
            break
        with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            if path.stat().st_size <= LARGEST_FILE:
                name = str(path.relative_to(root))
                trees[name] = _parse(path)
                _read_source(project, trees[name], name)
    _read_requirements(project, root)
    _place_sources(project, trees)
    _read_settings(project, root)
    project.scripts = _find_script(root)
    return project


def _find_script(root: Path) -> str:
    """Return what shows that a project is in JavaScript or TypeScript; nothing if little does."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if not _is_foreign(Path(folder, each)))
        named = [each for each in sorted(files) if SCRIPT.fullmatch(each)]
        if named:
            return (Path(folder, named[0])).relative_to(root).as_posix()
    return ""


def _sources(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if not _is_foreign(Path(folder, each)))
        yield from (Path(folder, each) for each in sorted(files) if each.endswith(".py"))


def _is_foreign(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name in SKIPPED
    return hidden or (folder / "pyvenv.cfg").exists()


def _modules_in(folder: Path) -> set[str]:
    """Return the modules and packages in a folder, which are imported before installed ones."""
    packages = {each.parent.name for each in folder.glob("*/*.py")}
    return packages | {each.stem for each in folder.glob("*.py")}


def _parse(path: Path) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the project's own escapes and comparisons
        return ast.parse(path.read_bytes())


def _place_sources(project: Project, trees: dict[str, ast.Module]) -> None:
    """Name the module of each source, and find the agents among them."""
    packages = {Path(name).parent.as_posix() for name in trees if name.endswith("__init__.py")}
    imported = {each.partition(".")[0] for each in project.imports}
    for name, tree in trees.items():
        file = Path(name).as_posix()
        source = Source(file, tree, find_root(file, packages, imported))
        if source.module:
            project.sources.all.append(source)
    project.agents = find_agents(project.sources)
    savers, project.unused = find_savers(project.sources, project.requirements)
    found = [*find_memories(project.sources), *savers]
    project.memories = sorted(found, key=lambda each: -each.score)


def _read_source(project: Project, tree: ast.Module, name: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                _note_import(project, alias.name, name)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                _note_import(project, f"{node.module}.{alias.name}", name)
        elif isinstance(node, ast.Subscript | ast.Call):
            _note_setting(project, _setting_read_by(node))


def _note_import(project: Project, dotted: str, name: str) -> None:
    """Note the first file that imports a name, one of the application before those of tests."""
    known = project.imports.setdefault(dotted, name)
    if OF_TESTS.search(known) and not OF_TESTS.search(name):
        project.imports[dotted] = name


def _setting_read_by(node: ast.Subscript | ast.Call) -> str | None:
    """Return the name in ``os.environ[…]``, ``os.environ.get(…)`` or ``getenv(…)``."""
    if isinstance(node, ast.Subscript):
        source, key = node.value, node.slice
    elif node.args:
        source, key = node.func, node.args[0]
    else:
        return None
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return None
    names = ast.unparse(source).split(".")
    return key.value if "environ" in names or names[-1] == "getenv" else None


def _read_requirements(project: Project, root: Path) -> None:
    with suppress(OSError, ValueError):
        declared = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        for line in _requirement_lines(declared):
            _note_requirement(project, line)
    for path in sorted(root.glob("requirements*.txt")):
        with suppress(OSError, ValueError):
            for line in path.read_text(encoding="utf-8").splitlines():
                _note_requirement(project, line)


def _requirement_lines(pyproject: dict[str, Any]) -> Iterator[str]:
    """Yield the requirements of the standard tables, and the names in Poetry's."""
    own = pyproject.get("project", {})
    groups = [own.get("dependencies", []), *own.get("optional-dependencies", {}).values()]
    groups += pyproject.get("dependency-groups", {}).values()
    for group in groups:
        yield from (line for line in group if isinstance(line, str))
    yield from pyproject.get("tool", {}).get("poetry", {}).get("dependencies", {})


def _note_requirement(project: Project, line: str) -> None:
    if found := REQUIREMENT.match(line.strip()):
        project.requirements.add(re.sub(r"[-_.]+", "-", found[0]).lower())


def _read_settings(project: Project, root: Path) -> None:
    """Note the names in ``.env`` and its examples; what follows the equals sign is a secret."""
    for path in sorted(root.glob(".env*")):
        with suppress(OSError, ValueError):
            for line in path.read_text(encoding="utf-8").splitlines():
                name, sign, _ = line.removeprefix("export ").partition("=")
                _note_setting(project, name.strip() if sign else None)


def _note_setting(project: Project, name: str | None) -> None:
    if name and SETTING.fullmatch(name):
        project.settings.add(name)

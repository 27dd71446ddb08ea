"""What a project says of itself: the names it imports, the packages it asks for, its settings."""

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

MOST_FILES, LARGEST_FILE = 5_000, 1_000_000  # sources, and the bytes of one
SKIPPED = {"node_modules", "site-packages", "__pycache__", "build", "dist", "venv"}
SETTING = re.compile(r"[A-Z0-9_]*(REDIS|VALKEY|POSTGRES|PG|DATABASE|DB|SQLITE)[A-Z0-9_]*")
REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass
class Project:
    """Dotted names by the file that imports them, requirements, and names of settings.

    The values of settings are never kept.
    """

    imports: dict[str, str] = field(default_factory=dict)
    requirements: set[str] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)
    local: set[str] = field(default_factory=set)  # its own modules, whatever else has their names

    def importing(self, package: str, name: str = "") -> str | None:
        """The first import from a package, or of that name from it."""
        if package.partition(".")[0] in self.local:
            return None
        for dotted in self.imports:
            within = dotted == package or dotted.startswith(f"{package}.")
            if within and (not name or dotted.rpartition(".")[2] == name):
                return dotted
        return None


def survey(root: Path) -> Project:
    """Look through the sources and the declarations of a project; what cannot be read is passed."""
    project = Project(local=_local(root) | _local(root / "src"))
    for number, path in enumerate(_sources(root)):
        if number >= MOST_FILES:
            break
        with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            if path.stat().st_size <= LARGEST_FILE:
                _read_source(project, path, str(path.relative_to(root)))
    _read_requirements(project, root)
    _read_settings(project, root)
    return project


def _sources(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if not _is_foreign(Path(folder, each)))
        yield from (Path(folder, each) for each in sorted(files) if each.endswith(".py"))


def _is_foreign(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name in SKIPPED
    return hidden or (folder / "pyvenv.cfg").exists()


def _local(folder: Path) -> set[str]:
    """The modules and packages that are imported from a folder, before any that is installed."""
    packages = {each.parent.name for each in folder.glob("*/*.py")}
    return packages | {each.stem for each in folder.glob("*.py")}


def _read_source(project: Project, path: Path, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # their escapes and comparisons are not our business
        tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                project.imports.setdefault(alias.name, name)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                project.imports.setdefault(f"{node.module}.{alias.name}", name)
        elif isinstance(node, ast.Subscript | ast.Call):
            _note_setting(project, _setting(node))


def _setting(node: ast.Subscript | ast.Call) -> str | None:
    """The name that ``os.environ[…]``, ``os.environ.get(…)`` or ``getenv(…)`` asks for."""
    if isinstance(node, ast.Subscript):
        asked, key = node.value, node.slice
    elif node.args:
        asked, key = node.func, node.args[0]
    else:
        return None
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return None
    told = ast.unparse(asked).split(".")
    return key.value if "environ" in told or told[-1] == "getenv" else None


def _read_requirements(project: Project, root: Path) -> None:
    with suppress(OSError, ValueError):
        declared = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        for line in _declared(declared):
            _note_requirement(project, line)
    for path in sorted(root.glob("requirements*.txt")):
        with suppress(OSError, ValueError):
            for line in path.read_text(encoding="utf-8").splitlines():
                _note_requirement(project, line)


def _declared(pyproject: dict[str, Any]) -> Iterator[str]:
    """The lines of the standard, and the names of Poetry."""
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
    """The names in ``.env`` and its examples, up to the sign after which the secrets begin."""
    for path in sorted(root.glob(".env*")):
        with suppress(OSError, ValueError):
            for line in path.read_text(encoding="utf-8").splitlines():
                name, sign, _ = line.removeprefix("export ").partition("=")
                _note_setting(project, name.strip() if sign else None)


def _note_setting(project: Project, name: str | None) -> None:
    if name and SETTING.fullmatch(name):
        project.settings.add(name)

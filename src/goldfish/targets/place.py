"""Where the factory of a target stands, for people who want to look at it."""

import inspect
from pathlib import Path

from goldfish.targets.declaration import Target


def find_factory(target: Target) -> tuple[Path, int] | None:
    """Return file and line of the factory; None if it has no file."""
    if target.location is None:
        return None
    code = getattr(inspect.unwrap(target.factory), "__code__", None)
    return Path(target.location.file).resolve(), code.co_firstlineno if code else 1


def describe_place(target: Target) -> str:
    """Return "my_memory.py:6", from here if it is below; empty for a target of a package."""
    found = find_factory(target)
    if found is None or "site-packages" in found[0].parts or _is_ours(found[0]):
        return ""
    path, line = found
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{line}"


def _is_ours(path: Path) -> bool:
    return path.is_relative_to(Path(__file__).resolve().parents[1])

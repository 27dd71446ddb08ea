"""Finds a target in an importable module, in a file, or where another process described it."""

import importlib
import importlib.util
import inspect
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

from goldfish.errors import TargetError
from goldfish.targets.declaration import Location, Target, as_target


def load(module: str, name: str, *, label: str) -> Target:
    """Return the target of that name in an importable module."""
    found = _find_attribute(importlib.import_module(module), name, module)
    _refuse_memory(found, name)
    return as_target(found, label)


def load_file(path: Path, name: str, *, label: str) -> Target:
    """Return the target of that name in a Python file."""
    found = _find_attribute(import_file(path), name, path)
    _refuse_memory(found, name)
    return as_target(found, label)


def import_file(path: Path) -> ModuleType:
    """Return the module of a Python file; its directory becomes importable."""
    name_of_module = _choose_module_name(path)
    if name_of_module in sys.modules:
        return sys.modules[name_of_module]
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(name_of_module, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name_of_module] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name_of_module]
        raise
    return module


def _choose_module_name(path: Path) -> str:
    """Return the file's own name, unless that would hide another module, as redis.py would."""
    known = sys.modules.get(path.stem)
    if getattr(known, "__file__", None) == str(path):
        return path.stem
    taken = known is not None or importlib.util.find_spec(path.stem) is not None
    return f"{path.stem}_{zlib.crc32(str(path).encode()):08x}" if taken else path.stem


def load_location(location: Location) -> Target:
    """Return the target at a location that another process described."""
    _make_importable(location)
    try:
        module = importlib.import_module(location.module)
    except ImportError:
        module = None
    if module is not None and getattr(module, "__file__", None) == location.file:
        found = _find_attribute(module, location.name, location.file)
        return as_target(found, location.name)
    return load_file(Path(location.file), location.name, label=location.name)


def _make_importable(location: Location) -> None:
    """Find the module's package as well, for pytest imports some that are not on the path."""
    names = location.module.split(".")
    path = Path(location.file).with_suffix("")
    if list(path.parts[-len(names) :]) == names:
        sys.path.append(str(path.parents[len(names) - 1]))


def describe_targets(module: Any) -> str:
    """Return which targets a module has, and what to do if it has none."""
    there = [key for key, value in vars(module).items() if isinstance(value, Target)]
    if not there:
        return "it has no target; decorate a factory with @goldfish.target"
    return f"its targets are {', '.join(there)}" if there[1:] else f"its target is {there[0]}"


def _find_attribute(module: Any, name: str, where: str | Path) -> Any:
    if hasattr(module, name):  # also one that the module makes of it, with dots
        return getattr(module, name)
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise TargetError(f"{_shorten(where)} has no {name!r}: {describe_targets(module)}")
        found = getattr(found, part)
    return found


def _refuse_memory(found: Any, name: str) -> None:
    """Raise a TargetError about the class of a memory, which would take the sandbox for a path."""
    is_memory = hasattr(found, "add_messages") or hasattr(found, "remember")
    if not (inspect.isclass(found) and is_memory):
        return
    try:
        needed = [
            each.name
            for each in inspect.signature(found).parameters.values()
            if each.default is each.empty
            and each.kind is each.POSITIONAL_OR_KEYWORD
            and "Sandbox" not in str(each.annotation)
        ]
    except (TypeError, ValueError):  # its parameters cannot be seen
        return
    if len(needed) > 1 or needed[:1] not in ([], ["sandbox"]):
        raise TargetError(
            f"{name} is the class of a memory, and a target is a function that opens one: write "
            f"@goldfish.target and def memory(sandbox): return {name}({', '.join(needed)}), with "
            "an address or a path of the sandbox, and name that function"
        )


def _shorten(where: str | Path) -> str:
    """Return a file by its path from here, and a module by its name."""
    path, here = Path(where), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)

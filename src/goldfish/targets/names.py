"""Resolves what a user writes to a target: a name, a module, a file or a specimen."""

import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from goldfish.errors import GoldfishError, MissingExtraError, TargetError
from goldfish.findings.families import FAMILIES
from goldfish.harness.errors import describe_error
from goldfish.integrations.libraries import BUILT_INS
from goldfish.integrations.library import BuiltIn
from goldfish.specimens import gallery
from goldfish.targets.agents import name_service
from goldfish.targets.declaration import Target, as_target, hold_to_everything
from goldfish.targets.loading import describe_targets, import_file, load, load_file
from goldfish.targets.lookup import suggest_name
from goldfish.targets.traces import find_user_line

ENTRY_POINTS = "goldfish.targets"
CLIENTS = {"redis": "redis", "postgres": "psycopg"}  # of each service, the package that shows it
AGENTS = re.compile(r"\bgoldfish\b.*\b(agent|service)\b")
LISTED = "`goldfish targets` lists them"


def resolve(spec: str, services: Sequence[str] = ()) -> Target:
    """Return the target that a user means; raise TargetError or MissingExtraError if none is.

    ``services`` are the servers that a command needs and does not declare.
    """
    if spec.startswith("specimen:"):
        return _load_specimen(spec.removeprefix("specimen:"))
    if spec.startswith("cmd:"):
        from goldfish.commands.declaration import make_command_target  # few need it

        return make_command_target(spec, services)
    if spec in BUILT_INS:
        return _load_built_in(spec)
    if spec.startswith("mcp:"):
        from goldfish.mcp.declaration import resolve_spelled  # few need it

        return resolve_spelled(spec.removeprefix("mcp:"))
    registered = registered_targets()
    if spec in registered:
        return _load_registered(registered[spec])
    if "://" in spec:
        # The URL is not repeated: it may hold a password.
        raise TargetError("a URL is not a target: set GOLDFISH_REDIS_URL or GOLDFISH_POSTGRES_DSN")
    place, colon, factory = spec.rpartition(":")
    if not colon:
        _refuse_file(spec)
        raise TargetError(_explain_unknown(spec, [*BUILT_INS, *registered]))
    if not place or not factory:
        raise TargetError(f"{spec!r} is incomplete: write package.module:factory")
    _make_importable(Path.cwd())
    return (
        _load_from_file(place, factory, spec)
        if _is_path(place) or Path(place).is_file()
        else _load_from_module(place, factory, spec)
    )


def _refuse_file(spec: str) -> None:
    """Raise a TargetError that says what a file or a folder lacks to be a target."""
    if Path(spec).is_dir():
        raise TargetError(
            f"{spec!r} is a folder: name a Python file and a factory, as FILE.py:NAME"
        )
    if spec.endswith(".py"):
        path = _find_file(spec)
        with _explaining_import_errors(spec), _keeping_from_providers(path):
            there = describe_targets(import_file(path))
        raise TargetError(f"{spec!r} does not name a factory: write {spec}:NAME; {there}")
    if Path(spec).is_file():
        raise TargetError(f"{spec!r} is not a Python file: name one and a factory, as FILE.py:NAME")


def _find_file(place: str) -> Path:
    """Return the path of a Python file; raise a TargetError with names like its own."""
    path = Path(place).resolve()
    if not path.is_file():
        names = [each.name for each in path.parent.glob("*.py")]
        raise TargetError(suggest_name("file", place, names, see="give its path from here"))
    if path.suffix != ".py":
        raise TargetError(f"{place!r} is not a Python file: name one, as FILE.py:NAME")
    return path


def registered_targets() -> dict[str, EntryPoint]:
    """Return what other packages register under the entry-point group, by name."""
    return {each.name: each for each in entry_points(group=ENTRY_POINTS)}


def _load_specimen(name: str) -> Target:
    if name not in gallery():
        see = "`goldfish explain CODE` names the specimens of a check"
        raise TargetError(suggest_name("specimen", name, gallery(), see=see))
    return hold_to_everything(gallery()[name].target)


def _load_built_in(name: str) -> Target:
    entry = BUILT_INS[name]
    if entry.missing:
        raise _list_missing(entry)
    return hold_to_everything(load(entry.module, entry.factory, label=name))


def _list_missing(entry: BuiltIn) -> MissingExtraError:
    """Return the error that names all that is missing at once, the servers too."""
    from goldfish.services.binaries import TITLES, has_server  # servers, which few need here

    missing, extra = list(entry.missing), entry.extra
    for service, package in CLIENTS.items():
        if package in entry.packages and not has_server(service):
            missing.append(f"a {TITLES[service]} server")
    if len(missing) > len(entry.missing):
        extra = f"{entry.extra},servers"
    return MissingExtraError.of(missing[0], extra, *missing[1:])


def _load_registered(entry: EntryPoint) -> Target:
    with _explaining_import_errors(f"the target {entry.name!r} of {entry.value}"):
        return as_target(entry.load(), entry.name)


def _load_from_module(module: str, factory: str, spec: str) -> Target:
    with _explaining_import_errors(module):
        found = importlib.util.find_spec(module)
        with _keeping_from_providers(Path(found.origin if found and found.origin else module)):
            return name_service(load(module, factory, label=spec), factory)


def _load_from_file(place: str, factory: str, spec: str) -> Target:
    path = _find_file(place)
    with _explaining_import_errors(place), _keeping_from_providers(path):
        return name_service(load_file(path, factory, label=spec), factory)


@contextmanager
def _keeping_from_providers(source: Path) -> Iterator[None]:
    """Let a module that declares an agent make its clients: with a key, and for no provider."""
    if not source.is_file() or not AGENTS.search(source.read_text("utf-8", "replace")):
        yield
        return
    from goldfish.mirror.environment import NOWHERE, make_environment  # few need the mirror

    before = dict(os.environ)
    os.environ.update(make_environment(NOWHERE))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _is_path(place: str) -> bool:
    return place.endswith(".py") or "/" in place or os.sep in place


def _make_importable(directory: Path) -> None:
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))


def _explain_unknown(spec: str, names: list[str]) -> str:
    if spec[:3].upper() in FAMILIES and spec[3:].isdigit() | (len(spec) == 3):
        return f"{spec} is a check, not a target: write --only {spec.upper()}"
    if _is_path(spec) or "." in spec:
        return f"{spec!r} does not name a factory: write {spec}:NAME"
    return suggest_name("target", spec, names, see=LISTED)


@contextmanager
def _explaining_import_errors(what: str) -> Iterator[None]:
    """Turn whatever an import raises into a TargetError with the reason and the line."""
    try:
        yield
    except GoldfishError:
        raise
    except (Exception, SystemExit) as error:
        where = find_user_line(error)
        hint = f" ({where})" if where else ": run from the directory that holds it, or install it"
        raise TargetError(f"{what} cannot be imported: {_describe_reason(error)}{hint}") from error


def _describe_reason(error: BaseException) -> str:
    if isinstance(error, SyntaxError):  # its own text would name the line again
        return f"{type(error).__name__}: {error.msg}"
    return describe_error(error)

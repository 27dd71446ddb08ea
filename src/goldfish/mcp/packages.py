"""Packages of npm and PyPI, installed once into the user's cache and started from there.

``npx -y`` and ``uvx`` resolve a package at every start, some over the network; a pod that is opened
a hundred times would be measured by that.
"""

import contextlib
import fcntl
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldfish.errors import TargetError, mask

FRESH = 24 * 3600.0  # seconds after which a package without a version is looked up again
INSTALLS_WITHIN = 900.0
SOON, EVERY = 2.0, 15.0  # seconds until it is said that something is installed, and said again
DONE = ".installed"


@dataclass(frozen=True)
class Package:
    """A package that a command names: where it is published, and which program of it to run."""

    registry: str  # npm or pypi
    requirement: str
    program: str = ""
    arguments: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()  # what else is installed beside it

    @property
    def name(self) -> str:
        """The name without a version."""
        bare = re.split(r"(?<=.)@|[=<>~!\[]", self.requirement)[0]
        return bare.strip()

    @property
    def directory(self) -> Path:
        """Where it is installed."""
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        whole = " ".join((self.requirement, *self.companions))
        slug = re.sub(r"[^\w.-]+", "_", whole).strip("_")
        return caches / "goldfish" / "mcp" / self.registry / slug


def find_package(words: Sequence[str]) -> Package | None:
    """Return the package that a command would fetch: of npx, uvx, ``uv tool run``, ``pipx run``."""
    match list(words):
        case ["npx", *rest]:
            return _read_options("npm", rest, ("-p", "--package"))
        case ["npm", "exec", *rest]:
            return _read_options("npm", rest, ("-p", "--package"))
        case ["uvx", *rest] | ["uv", "tool", "run", *rest]:
            return _read_options("pypi", rest, ("--from",))
        case ["pipx", "run", *rest]:
            return _read_options("pypi", rest, ("--spec",))
    return None


def _read_options(registry: str, words: list[str], naming: tuple[str, ...]) -> Package | None:
    requirement = ""
    companions: list[str] = []
    while words and words[0].startswith("-"):
        option, _, value = words.pop(0).partition("=")
        if option in naming:
            requirement = value or (words.pop(0) if words else "")
        elif option == "--with" and registry == "pypi":
            companions += (value or (words.pop(0) if words else "")).split(",")
        elif option not in {"-y", "--yes", "-q", "--quiet", "--"}:
            return None  # it changes what is run: let the command do it itself
    if not words:
        return None
    first, *arguments = words
    program = first if requirement else ""
    requirement = requirement or first
    if registry == "pypi":
        requirement = re.sub(r"(?<=.)@(?=\d)", "==", requirement)
    return Package(registry, requirement, program, tuple(arguments), tuple(companions))


def install(package: Package) -> None:
    """Install the package, unless it is there and fresh; a TargetError says why it cannot be."""
    done = package.directory / DONE
    if _is_fresh(done):
        return
    package.directory.mkdir(parents=True, exist_ok=True)
    with _lock(package.directory.with_suffix(".lock")):
        if _is_fresh(done):
            return
        try:
            (_install_from_npm if package.registry == "npm" else _install_from_pypi)(package)
        except TargetError:
            if not done.exists():
                raise  # else the registry is out of reach, and an older one is there
        done.touch()


def find_command(package: Package) -> list[str]:
    """Return the command that starts an installed package."""
    if package.registry == "pypi":
        name = package.program or package.name
        program = package.directory / "bin" / name
        if not program.exists():
            there = _list_programs(package.directory / "bin")
            raise TargetError(f"{package.name} has no program {name!r}: it has {there}")
        return [str(program), *package.arguments]
    home = package.directory / "node_modules" / package.name
    programs = _read_programs(home)
    name = package.program or package.name.rpartition("/")[2]
    chosen = programs.get(name) or (next(iter(programs.values())) if len(programs) == 1 else None)
    if chosen is None:
        raise TargetError(
            f"{package.name} has no program {name!r}: it has {', '.join(programs) or 'none'}"
        )
    return [find_program("node", "install Node.js"), str(home / chosen), *package.arguments]


def find_version(package: Package) -> str:
    """Return the version of an installed package, or nothing if it is not installed."""
    if package.registry == "npm":
        return str(_read_manifest(package).get("version", ""))
    name = re.sub(r"[-_.]+", "_", package.name)
    found = package.directory.glob(f"lib/python*/site-packages/{name}-*.dist-info")
    return next((each.name.split("-")[1].removesuffix(".dist") for each in found), "")


def describe_old_node(package: Package) -> str:
    """Return that the package asks for a newer node than there is, or nothing if it does not."""
    wanted = str(_read_manifest(package).get("engines", {}).get("node", ""))
    node = shutil.which("node")
    if not wanted or node is None:
        return ""
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    if satisfies(version, wanted):
        return ""
    return f"{package.name} needs node {wanted}, and node here is {version}: install a newer one"


def satisfies(version: str, wanted: str) -> bool:
    """Return False if a version of node is below all that a range asks for."""
    own = _read_numbers(version)
    lowest = [_read_numbers(each) for each in re.findall(r"(?:>=?|\^|~|\b)\s*v?(\d[\d.]*)", wanted)]
    return not lowest or any(own >= each for each in lowest)


def find_program(name: str, remedy: str) -> str:
    """Return the path of a program; a TargetError says what to do if it is not there."""
    found = shutil.which(name)
    if found is None:
        raise TargetError(f"{name!r} is not on the PATH: {remedy}")
    return found


def _read_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version)[:3])


def _install_from_npm(package: Package) -> None:
    npm = find_program("npm", "install Node.js")
    manifest = package.directory / "package.json"
    manifest.write_text('{"private": true}')
    options = ["--no-audit", "--no-fund", "--loglevel=error"]
    _run([npm, "install", *options, package.requirement], package)


def _install_from_pypi(package: Package) -> None:
    python = str(package.directory / "bin" / "python")
    wanted = [package.requirement, *package.companions]
    if uv := shutil.which("uv"):
        _run([uv, "venv", "-q", "--allow-existing", str(package.directory)], package)
        _run([uv, "pip", "install", "-q", "-U", "-p", python, *wanted], package)
        return
    _run([sys.executable, "-m", "venv", str(package.directory)], package)
    pip = [python, "-m", "pip", "install", "-q", "-U", "--disable-pip-version-check"]
    _run([*pip, *wanted], package)


def _run(command: list[str], package: Package) -> None:
    """Run a command that installs; say so on standard error while it takes its time."""
    with subprocess.Popen(
        command,
        cwd=package.directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said, complained = _wait(process, package)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with what it has started
            if not isinstance(error, TimeoutError):
                raise
            raise TargetError(
                f"{package.requirement} was not installed within {INSTALLS_WITHIN:g} s: try "
                f"{shlex.join(command)} by hand"
            ) from None
    if process.returncode:
        lines = [each for each in (complained or said).splitlines() if each.strip()]
        last = "\n".join(lines[-6:])
        raise TargetError(mask(f"{package.requirement} cannot be installed; last lines:\n{last}"))


def _wait(process: subprocess.Popen[str], package: Package) -> tuple[str, str]:
    """Return what a process wrote until its end; raise TimeoutError at the limit."""
    began, pause = time.monotonic(), SOON
    while True:
        left = began + INSTALLS_WITHIN - time.monotonic()
        if left <= 0:
            raise TimeoutError
        try:
            return process.communicate(timeout=min(pause, left))
        except subprocess.TimeoutExpired:
            seconds = time.monotonic() - began
            line = f"Installing {package.requirement} … ({seconds:.0f} s)"
            print(line, file=sys.stderr, flush=True)
            pause = EVERY


def _read_manifest(package: Package) -> dict[str, Any]:
    path = package.directory / "node_modules" / package.name / "package.json"
    with contextlib.suppress(OSError, ValueError):
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return manifest
    return {}


def _read_programs(home: Path) -> dict[str, str]:
    try:
        manifest = json.loads((home / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise TargetError(f"{home.name} is not installed: run `goldfish check` once more") from None
    programs = manifest.get("bin", {})
    if isinstance(programs, str):
        return {str(manifest["name"]).rpartition("/")[2]: programs}
    return dict(programs)


def _list_programs(directory: Path) -> str:
    own = {"python", "python3", "pip", "pip3", "activate"}
    names = sorted(each.name for each in directory.glob("*") if each.name not in own)
    return ", ".join(
        each for each in names if not re.match(r"(python|pip|activate|Activate)", each)
    )


def _is_fresh(done: Path) -> bool:
    with contextlib.suppress(OSError):
        return time.time() - done.stat().st_mtime < FRESH
    return False


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Let one process install at a time."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

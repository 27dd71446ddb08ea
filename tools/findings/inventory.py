"""Prints, as JSON, what only an environment itself knows: its targets, versions and scripts.

Run it with the environment's own Python: ``python -m tools.findings.inventory targets``, or
``scripts`` with the folders of the libraries whose scripts to run.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from goldfish.catalogue.registry import catalogue
from goldfish.findings.families import FAMILIES
from goldfish.integrations.goldfish import GOLDFISH
from goldfish.integrations.libraries import BUILT_INS
from goldfish.mcp.known import find_known
from goldfish.mcp.packages import find_package, find_version
from goldfish.world.sandbox import Sandbox
from tools.findings.commands import (
    COMMANDS,
    LIBRARIES,
    beside_packages,
    find_missing,
    read_versions,
)

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds, for a script
NAMED = re.compile(r"[A-Z]{3}\d\d(?:_\w+)?")


def list_targets() -> dict[str, Any]:
    """Return every built-in target with what it lacks here, every version, every promise."""
    packages = [name for each in (GOLDFISH, *LIBRARIES) for name in each.distributions]
    return {
        "targets": {
            name: {"about": each.about, "extra": each.extra, "missing": each.missing}
            for name, each in BUILT_INS.items()
        }
        | {
            name: {"about": each.about, "extra": "", "missing": find_missing(name)}
            for name, each in COMMANDS.items()
        },
        "versions": {name: found for name in packages if (found := _version(name))}
        | read_versions(),
        "promises": {code: each.promise for code, each in catalogue().items()},
        "families": FAMILIES,
        "python": sys.version.split()[0],
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return _version_of_server(package)


def _version_of_server(name: str) -> str:
    """Return the version of an MCP server, which is installed in a place of its own."""
    known = find_known(name)
    package = find_package(known.command.split()) if known else None
    return find_version(package) if package else ""


def run_scripts(folders: list[str]) -> list[dict[str, Any]]:
    """Run the scripts of the folders; return what each says of itself and how it ends."""
    return [_run_script(path) for folder in folders for path in _scripts(folder)]


def _scripts(folder: str) -> Iterator[Path]:
    for path in sorted((ROOT / "findings" / folder).iterdir()):
        if path.suffix in {".py", ".mjs"} and NAMED.fullmatch(path.stem):
            yield path


def _run_script(path: Path) -> dict[str, Any]:
    print(f"{path.parent.name}/{path.name}", file=sys.stderr, flush=True)
    source = path.read_text()
    sandbox = Sandbox()
    try:
        if path.suffix == ".mjs":
            with beside_packages(path) as copy:
                code, said = _run(["node", str(copy)])
        else:
            code, said = _run([sys.executable, str(path), *_server(source, sandbox)])
    finally:
        sandbox.close()
    return {
        "library": path.parent.name,
        "script": str(path.relative_to(ROOT)),
        "about": read_about(source),
        "exit": code,
        "said": said,
    }


def read_about(source: str) -> str:
    """Return what a script says of itself: its docstring, or the comment at its beginning."""
    if source.startswith("/*"):
        lines = source.removeprefix("/*").partition("*/")[0].splitlines()
        return "\n".join(line.strip().removeprefix("*").strip() for line in lines).strip()
    return source.split('"""')[1].strip()


def _server(source: str, sandbox: Sandbox) -> list[str]:
    """Return the address of the empty database that a script asks for."""
    if "give the URL" in source:
        return [sandbox.redis_url]
    return [sandbox.postgres_dsn] if "give the DSN" in source else []


def _run(command: list[str]) -> tuple[int | None, str]:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return None, f"no end within {PATIENCE:g} s"
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
    return done.returncode, lines[-1] if lines else ""


if __name__ == "__main__":
    what, *folders = sys.argv[1:]
    print(json.dumps(list_targets() if what == "targets" else run_scripts(folders)))

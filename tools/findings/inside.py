"""What only an environment itself can tell, as JSON: its targets, its versions, its scripts.

Run by the environment's own Python: ``python -m tools.findings.inside targets``, or ``scripts``
with the folders of the libraries to look at.
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
from goldfish.targets.names import BUILT_INS
from goldfish.world.sandbox import Sandbox
from tools.findings.libraries import LIBRARIES, OURS

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds, for a script
NAMED = re.compile(r"[A-Z]{3}\d\d(?:_\w+)?")


def targets() -> dict[str, Any]:
    """Every built-in target with what it lacks here, every version, every promise."""
    packages = [name for each in (OURS, *LIBRARIES) for name in each.packages]
    return {
        "targets": {
            name: {"about": each.about, "extra": each.extra, "missing": each.missing}
            for name, each in BUILT_INS.items()
        },
        "versions": {name: found for name in packages if (found := _version(name))},
        "promises": {code: each.promise for code, each in catalogue().items()},
        "families": FAMILIES,
        "python": sys.version.split()[0],
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def scripts(folders: list[str]) -> list[dict[str, Any]]:
    """What each script says of itself, and how it ends."""
    return [_shown(path) for folder in folders for path in _scripts(folder)]


def _scripts(folder: str) -> Iterator[Path]:
    for path in sorted((ROOT / "findings" / folder).glob("*.py")):
        if NAMED.fullmatch(path.stem):
            yield path


def _shown(path: Path) -> dict[str, Any]:
    print(f"{path.parent.name}/{path.name}", file=sys.stderr, flush=True)
    source = path.read_text()
    sandbox = Sandbox()
    try:
        code, said = _ended([sys.executable, str(path), *_server(source, sandbox)])
    finally:
        sandbox.close()
    return {
        "library": path.parent.name,
        "script": str(path.relative_to(ROOT)),
        "about": source.split('"""')[1].strip(),
        "exit": code,
        "said": said,
    }


def _server(source: str, sandbox: Sandbox) -> list[str]:
    """The empty database that a script asks for, in the words of its refusal."""
    if "give the URL" in source:
        return [sandbox.redis_url]
    return [sandbox.postgres_dsn] if "give the DSN" in source else []


def _ended(command: list[str]) -> tuple[int | None, str]:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return None, f"no end within {PATIENCE:g} s"
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
    return done.returncode, lines[-1] if lines else ""


def main(arguments: list[str]) -> int:
    """Print what was asked for."""
    what, *folders = arguments
    print(json.dumps(targets() if what == "targets" else scripts(folders)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

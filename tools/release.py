"""Holds a release to what users get: ``make release-check``.

Builds wheel and sdist, checks them with twine, and installs the wheel alone in an empty environment
of each Python that is here; there the smoke suite runs, by the command and by pytest.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
PIP = ("-m", "pip", "install", "-q", "--disable-pip-version-check")


def main() -> int:
    """Check a release; return 1 if something in it is wrong, or no Python was there."""
    with tempfile.TemporaryDirectory(prefix="goldfish-release-") as folder:
        wheel = build(Path(folder))
        found = dict(find_pythons())
        for version in PYTHONS:
            if version not in found:
                print(f"Python {version}: not here, so not checked")
                continue
            try_wheel(found[version], wheel, Path(folder) / version)
            print(f"Python {version}: installed from the wheel alone, the smoke suite held")
    return 0 if found else 1


def build(folder: Path) -> Path:
    """Build both distributions in an environment of their own; return the wheel."""
    python = make_environment(Path(sys.executable), folder / "build")
    run(python, *PIP, "build", "twine")
    run(python, "-m", "build", "--outdir", str(folder / "dist"), str(ROOT))
    made = sorted((folder / "dist").iterdir())
    run(python, "-m", "twine", "check", "--strict", *map(str, made))
    (wheel,) = [path for path in made if path.suffix == ".whl"]
    return wheel


def try_wheel(python: Path, wheel: Path, folder: Path) -> None:
    """Install the wheel and run the smoke suite, away from the sources."""
    empty = make_environment(python, folder)
    project = folder / "project"  # of its own: pytest collects what is below it
    project.mkdir()
    run(empty, *PIP, str(wheel), cwd=project)
    run(empty, "-m", "goldfish", "check", "--suite", "smoke", "-q", cwd=project)
    run(empty, *PIP, "pytest", cwd=project)
    smoke = ("--goldfish", "sqlite", "--goldfish-suite", "smoke")
    run(empty, "-m", "pytest", "-q", "-p", "no:cacheprovider", *smoke, cwd=project)


def make_environment(python: Path, folder: Path) -> Path:
    """Make a virtual environment; return its Python."""
    run(python, "-m", "venv", str(folder))
    return folder / "bin" / "python"


def find_pythons() -> Iterator[tuple[str, Path]]:
    """Yield each of the Pythons that is here: on the path, of pyenv, or of uv."""
    for version in PYTHONS:
        on_path = shutil.which(f"python{version}")
        others = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True)
        places = [*others, *([Path(on_path)] if on_path else []), *ask_uv(version)]
        python = next((each for each in places if is_python(each, version)), None)
        if python is not None:
            yield version, python


def ask_uv(version: str) -> Iterator[Path]:
    """Yield the Python that uv has, if uv is here."""
    if uv := shutil.which("uv"):
        command = [uv, "python", "find", "--no-python-downloads", version]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        if told.returncode == 0:
            yield Path(told.stdout.strip())


def is_python(path: Path, version: str) -> bool:
    """Return True if it runs, is of this version and can make environments: shims may not."""
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    told = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    return told.stdout.strip() == version


def run(python: Path, *arguments: str, cwd: Path = ROOT) -> None:
    """Run Python without what this environment would lend it; leave if it fails."""
    lent = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    environment = {name: each for name, each in os.environ.items() if name not in lent}
    done = subprocess.run([python, *arguments], cwd=cwd, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"release-check: {' '.join(arguments)} failed with {done.returncode}")


if __name__ == "__main__":
    sys.exit(main())

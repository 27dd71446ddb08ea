"""Virtual environments with the released packages of the day, made where there are none yet."""

import subprocess
import sys
from pathlib import Path


class NotInstalledError(Exception):
    """An environment that could not be made, with the reason."""


def prepared(root: Path, place: Path, extras: str, *releases: str) -> Path:
    """The Python of an environment that has goldfish from here, with these extras and releases."""
    python = place / "bin" / "python"
    done = place / ".installed"
    if not done.exists():
        print(f"installing {extras} into {place}", file=sys.stderr, flush=True)
        if not python.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            _run([sys.executable, "-m", "venv", str(place)])
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        _run([*pip, "--upgrade", "-e", f"{root}[{extras}]", *releases])
        _model(place)
        done.touch()
    return python


def _model(place: Path) -> None:
    """The weights of the embedder; without them, what needs none is asked all the same."""
    subprocess.run(
        [str(place / "bin" / "goldfish"), "model", "install"], capture_output=True, check=False
    )


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise NotInstalledError(said[-1] if said else f"{command[0]} ended with {done.returncode}")

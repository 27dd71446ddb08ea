"""Creates virtual environments with the released packages of the day."""

import subprocess
import sys
from pathlib import Path


class NotInstalledError(Exception):
    """An environment could not be created; the message says why."""


def prepare(root: Path, place: Path, extras: str, *releases: str) -> Path:
    """Return the Python of an environment that has goldfish from here, with extras and releases."""
    python = place / "bin" / "python"
    done = place / ".installed"
    if not done.exists():
        print(f"installing {extras} into {place}", file=sys.stderr, flush=True)
        if not python.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            _run([sys.executable, "-m", "venv", str(place)])
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        _run([*pip, "--upgrade", "-e", f"{root}[{extras}]", *releases])
        _install_model(place)
        done.touch()
    return python


def _install_model(place: Path) -> None:
    """Install the weights of the embedder; checks that need none run without them."""
    subprocess.run(
        [str(place / "bin" / "goldfish"), "model", "install"], capture_output=True, check=False
    )


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise NotInstalledError(lines[-1] if lines else f"{command[0]} exited {done.returncode}")

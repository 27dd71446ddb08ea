"""A strict user can type a target, a dependency and a fixture without Any."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROJECT = HERE / "project.py"


def run(*command: str) -> str:
    """Run a type checker; return what it says, or fail with it."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_mypy_accepts_a_strict_project() -> None:
    """Any may neither be written down nor come out of a decorator."""
    pytest.importorskip("mypy")
    # With the settings of pyproject.toml, and so with what `make lint` has read already.
    assert "Success" in run("mypy", str(PROJECT.relative_to(ROOT)))


def test_pyright_accepts_a_strict_project(tmp_path: Path) -> None:
    """In its strict mode, in which nothing may be unknown."""
    pytest.importorskip("basedpyright")
    settings = {
        "typeCheckingMode": "strict",
        "include": [str(PROJECT)],
        "extraPaths": [str(ROOT / "src")],
    }
    path = tmp_path / "pyrightconfig.json"
    path.write_text(json.dumps(settings))
    said = run("basedpyright", "--project", str(path), "--pythonpath", sys.executable)
    assert "0 errors" in said

"""The example of a service in JavaScript, which is judged by the same command as one in Python."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node import find_packages

EXAMPLE = Path(__file__).parents[2] / "examples" / "node-agent"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the example with its packages, as npm install leaves it."""
    packages = find_packages()
    for file in EXAMPLE.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    return tmp_path


@pytest.mark.parametrize(
    ("target", "verdicts"),
    [
        ("broken", {"CTX01": "lost", "CTX08": "lost"}),
        ("fixed", {"CTX01": None, "CTX08": None, "CTX30": None, "CTX32": None, "CTX50": None}),
    ],
)
def test_a_map_in_each_instance_is_caught_and_a_file_that_they_share_is_held(
    project: Path, target: str, verdicts: dict[str, str | None]
) -> None:
    """With npm's ai SDK, two instances, turns at once, and kills."""
    options = ["--only", ",".join(verdicts), "--seed", "1", "--json", "report.json"]
    done = subprocess.run(
        [sys.executable, "-m", "goldfish", "check", f"service.py:{target}", *options],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == (1 if target == "broken" else 0), done.stdout + done.stderr
    (report,) = json.loads((project / "report.json").read_text())["reports"]
    assert {each["code"]: each["finding"] for each in report["checks"]} == verdicts
    assert report["counts"]["unknown"] == report["counts"]["unsupported"] == 0

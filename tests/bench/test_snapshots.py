"""The benchmark of snapshots runs, and says how saving grows; no time is judged here."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "bench" / "snapshots.py"


def test_saving_and_rolling_back_are_timed_on_a_short_and_a_long_history(tmp_path: Path) -> None:
    """The ratio follows from the two times, in the table and in the JSON."""
    command = [sys.executable, str(SCRIPT), "--quick", "--backend", "sqlite"]
    command += ["--json", "figures.json"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert [(each["backend"], each["step"]) for each in figures] == [
        ("sqlite", "save"),
        ("sqlite", "roll back"),
    ]
    for each in figures:
        assert each["ratio"] == each["long_seconds"] / each["short_seconds"]
    assert "at most 2" in run.stdout

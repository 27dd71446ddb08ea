"""The benchmark of searches runs, and says what it timed; no time is judged here."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "bench" / "search.py"


def test_first_and_later_searches_are_timed(tmp_path: Path) -> None:
    """Each has a time, for each length of a session, in the table and the JSON."""
    command = [sys.executable, str(SCRIPT), "--quick", "--backend", "sqlite"]
    command += ["--json", "figures.json"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    steps = [(each["step"], each["facts"]) for each in figures]
    assert steps == [(step, n) for n in (20, 200) for step in ("first search", "search")]
    assert all(each["milliseconds"] > 0 for each in figures)
    assert "first search" in run.stdout

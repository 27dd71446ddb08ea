"""The benchmark of the drop-ins runs, and says what it timed; no time is judged here."""

import json
import subprocess
import sys
from pathlib import Path

from tests.packages import needs

pytestmark = needs("openai-agents", "langgraph-checkpoint-sqlite")


SCRIPT = Path(__file__).parents[2] / "bench" / "dropins.py"


def test_a_drop_in_is_timed_beside_its_original(tmp_path: Path) -> None:
    """Turns, bytes and loading, of both, with a word for each target."""
    command = [sys.executable, str(SCRIPT), "--only", "saver-sqlite", "--only", "session-sqlite"]
    command += ["--turns", "2", "4", "--rounds", "1", "--json", "figures.json"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    outcomes = json.loads((tmp_path / "figures.json").read_text())
    assert [each["original"] for each in outcomes] == ["SqliteSaver", "SQLiteSession"]
    for outcome in outcomes:
        assert outcome["ratios"].keys() == {"2", "4"}
        for figures in (outcome["ours"], outcome["theirs"]):
            assert all(value > 0 for by_mark in figures.values() for value in by_mark.values())
    assert run.stdout.count(": met") + run.stdout.count(": below") == 2
    assert not list(tmp_path.glob("goldfish-bench-*"))

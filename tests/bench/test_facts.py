"""The benchmark of facts runs, and says what it timed; no time is judged here."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "bench" / "facts.py"


def test_recall_is_timed_with_few_and_many_facts_and_beside_many_users(tmp_path: Path) -> None:
    """Each step has a time, those with an aim have it beside them, in the table and the JSON."""
    command = [sys.executable, str(SCRIPT), "--quick", "--backend", "sqlite"]
    command += ["--json", "figures.json"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    aims = {(each["step"], each["facts"]): each["most"] for each in figures if each["most"]}
    raw = [aims.pop(("get_fact", facts)) for facts in (20, 200)]
    assert all(each > 0 for each in raw)
    assert aims == {
        ("first recall", 20): 15,
        ("first recall", 200): 150,
        ("recall", 20): 1.5,
        ("recall", 200): 10,
        ("recall, filtered", 20): 2.25,
        ("recall, filtered", 200): 15,
        ("remember", 200): 3,
        ("recall beside 30 users", 20): 3,
    }
    assert all(each["milliseconds"] > 0 for each in figures)
    assert run.stdout.count("met") + run.stdout.count("below") >= 8

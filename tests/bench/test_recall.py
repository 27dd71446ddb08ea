"""The benchmark of recall runs on a small conversation; no figure is judged here."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "bench" / "recall.py"

CONVERSATION = {
    "sample_id": "made-up",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a boat yesterday."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "What is it called?"},
            {"speaker": "Ann", "dia_id": "D1:3", "text": "Goldfish, of course."},
        ],
    },
    "qa": [
        {"question": "When did Ann buy a boat?", "evidence": ["D1:1"], "category": 2},
        {"question": "What is her boat called?", "evidence": ["D:1:1; D1:3"], "category": 4},
        {"question": "Who sold it?", "evidence": ["D9:9"], "category": 1},
        {"question": "Is Bob a goldfish?", "evidence": ["D1:3"], "category": 5},
    ],
}


def test_all_our_systems_are_scored_by_category(tmp_path: Path) -> None:
    """Malformed evidence is repaired, what cannot be judged is left out, ranks make the figures."""
    data = tmp_path / "locomo.json"
    data.write_text(json.dumps([CONVERSATION]))
    command = [sys.executable, str(SCRIPT), str(data), "--hash", "--json", "figures.json"]
    command += ["--only", "goldfish", "--only", "FTS5"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=180)
    assert run.returncode == 0, run.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())["recall"]
    history = [each for each in figures if each["system"] == "goldfish, search_history"]
    assert [(each["category"], each["questions"]) for each in history] == [
        ("all", 2),
        ("temporal", 1),
        ("single-hop", 1),
    ]
    assert {each["any_5"] for each in history} == {1.0}
    assert {each["system"] for each in figures} >= {"FTS5 porter, one turn"}
    assert "any@10" in run.stdout

"""Asks each target with ``goldfish check``, some at once, and keeps what came of it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SPARE = 180.0  # seconds beyond --max-time, for the checks that had begun by then
AGAIN_FOR = {"wedged"}  # what a busy machine can bring about is asked once more, alone


@dataclass(frozen=True)
class Question:
    """How a target is asked: by which Python, and for how long."""

    root: Path
    python: Path
    target: str
    seed: int
    suite: str
    max_time: float

    def command(self, file: Path, *more: str) -> list[str]:
        """The command line whose report goes to the file."""
        asked = ["--seed", str(self.seed), "--suite", self.suite, "--json", str(file), *more]
        return [str(self.python), "-m", "goldfish", "check", self.target, *asked]


def ask_all(questions: Sequence[Question], runs: Path, at_once: int) -> None:
    """Ask all of them, and write one file for each into the directory."""
    runs.mkdir(parents=True, exist_ok=True)
    done = 0
    with ThreadPoolExecutor(at_once) as pool:
        for target, told in pool.map(lambda each: (each.target, ask(each, runs)), questions):
            done += 1
            print(f"{done}/{len(questions)} {target}: {told}", file=sys.stderr, flush=True)


def ask(question: Question, runs: Path) -> str:
    """Ask one target; whatever happens, its file says so."""
    began = time.monotonic()
    raw = runs / f"{question.target}.raw.json"
    raw.unlink(missing_ok=True)
    more = ("--max-time", f"{question.max_time:g}")
    failure = _run(question, question.command(raw, *more), question.max_time + SPARE)
    kept: dict[str, Any] = {"target": question.target, "error": failure}
    if raw.exists():
        kept |= json.loads(raw.read_text())["reports"][0]
        kept["error"] = ""
        _ask_again(question, kept, runs)
        raw.unlink()
    kept["seconds"] = round(time.monotonic() - began, 1)
    (runs / f"{question.target}.json").write_text(json.dumps(kept, indent=1))
    return str(kept["error"] or f"{_tally(kept['checks'])} in {kept['seconds']:.0f} s")


def _tally(checks: Sequence[Mapping[str, Any]]) -> str:
    counts = Counter(str(each["verdict"]) for each in checks)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())


def _ask_again(question: Question, report: dict[str, Any], runs: Path) -> None:
    """Put what may be the machine's doing once more, one check at a time."""
    doubtful = [each["code"] for each in report["checks"] if is_doubtful(each)]
    if not doubtful:
        return
    raw = runs / f"{question.target}.again.json"
    chosen = [word for code in doubtful for word in ("--only", code)]
    command = question.command(raw, "--workers", "1", "--max-time", "90", *chosen)
    _run(question, command, 90 + SPARE)
    if raw.exists():
        second = json.loads(raw.read_text())["reports"][0]["checks"]
        report["checks"] = merged(report["checks"], second)
        raw.unlink()


def is_doubtful(check: Mapping[str, Any]) -> bool:
    """Whether a busy machine may be the reason for a result."""
    return check["verdict"] == "unknown" or check["finding"] in AGAIN_FOR


def merged(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results of the first run, with those of the second in their places where it had any."""
    again = {each["code"]: each for each in second if each["verdict"] != "skipped"}
    return [again.get(each["code"], each) for each in first]


def _run(question: Question, command: list[str], patience: float) -> str:
    """Why there is no report: it did not end, or what it said last; nothing if it went well."""
    # The goldfish of this tree, in whatever environment.
    environment = {**os.environ, "PYTHONPATH": str(question.root / "src"), "NO_COLOR": "1"}
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"no end within {patience:g} s"
    lines = [line for line in output.splitlines() if line.strip()]
    return "" if process.returncode in {0, 1} else (lines[-1] if lines else "it said nothing")

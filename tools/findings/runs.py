"""Runs ``goldfish check`` on each target, some at once, and keeps the reports."""

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

from tools.findings.commands import spell_target

SPARE = 180.0  # seconds beyond --max-time, for the checks that had begun by then
LOAD_SENSITIVE = {"wedged"}  # findings that a busy machine can cause: run again, alone


@dataclass(frozen=True)
class Job:
    """A target to check: by which Python, and for how long."""

    root: Path
    python: Path
    target: str
    seed: int
    suite: str
    max_time: float

    def command(self, file: Path, *more: str) -> list[str]:
        """Return the command line that writes its report to the file."""
        options = ["--seed", str(self.seed), "--suite", self.suite, "--json", str(file), *more]
        return [str(self.python), "-m", "goldfish", "check", spell_target(self.target), *options]


def run_all(jobs: Sequence[Job], runs: Path, at_once: int) -> None:
    """Run all jobs, and write one file for each into the directory."""
    runs.mkdir(parents=True, exist_ok=True)
    done = 0
    with ThreadPoolExecutor(at_once) as pool:
        for target, outcome in pool.map(lambda each: (each.target, run(each, runs)), jobs):
            done += 1
            print(f"{done}/{len(jobs)} {target}: {outcome}", file=sys.stderr, flush=True)


def run(job: Job, runs: Path) -> str:
    """Run one job, write its file whatever happens, and return a line about the outcome."""
    began = time.monotonic()
    raw = runs / f"{job.target}.raw.json"
    raw.unlink(missing_ok=True)
    command = job.command(raw, "--max-time", f"{job.max_time:g}")
    failure = _run_command(job, command, job.max_time + SPARE)
    kept: dict[str, Any] = {"target": job.target, "error": failure}
    if raw.exists():
        kept |= json.loads(raw.read_text())["reports"][0]
        kept["error"] = ""
        _run_doubtful_again(job, kept, runs)
        raw.unlink()
    kept["seconds"] = round(time.monotonic() - began, 1)
    (runs / f"{job.target}.json").write_text(json.dumps(kept, indent=1))
    return str(kept["error"] or f"{_tally(kept['checks'])} in {kept['seconds']:.0f} s")


def _tally(checks: Sequence[Mapping[str, Any]]) -> str:
    counts = Counter(str(each["verdict"]) for each in checks)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())


def _run_doubtful_again(job: Job, report: dict[str, Any], runs: Path) -> None:
    """Run the checks again that a busy machine may have spoiled, one at a time."""
    doubtful = [each["code"] for each in report["checks"] if is_doubtful(each)]
    if not doubtful:
        return
    raw = runs / f"{job.target}.again.json"
    chosen = [word for code in doubtful for word in ("--only", code)]
    command = job.command(raw, "--workers", "1", "--max-time", "90", *chosen)
    _run_command(job, command, 90 + SPARE)
    if raw.exists():
        second = json.loads(raw.read_text())["reports"][0]["checks"]
        report["checks"] = merge(report["checks"], second)
        raw.unlink()


def is_doubtful(check: Mapping[str, Any]) -> bool:
    """Return True if a busy machine may be the reason for a result."""
    return check["verdict"] == "unknown" or check["finding"] in LOAD_SENSITIVE


def merge(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of the first run, replaced by those of the second if it has any."""
    again = {each["code"]: each for each in second if each["verdict"] != "skipped"}
    return [again.get(each["code"], each) for each in first]


def _run_command(job: Job, command: list[str], patience: float) -> str:
    """Run a command; return why there is no report, or nothing if it went well."""
    # The goldfish of this tree, in whatever environment.
    environment = {**os.environ, "PYTHONPATH": str(job.root / "src"), "NO_COLOR": "1"}
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
    return "" if process.returncode in {0, 1} else (lines[-1] if lines else "no output")

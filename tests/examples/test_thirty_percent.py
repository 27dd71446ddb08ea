"""The example of the in-process memory behind three workers, beyond what its README shows."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[2] / "examples" / "thirty-percent"
# Each makes so many requests that one worker cannot have taken them all.
CERTAIN = ("CON01", "DUR13")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", *arguments]


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What a command says in the directory of the example."""
    said = command(*arguments)
    return subprocess.run(said, cwd=EXAMPLE, capture_output=True, text=True, timeout=300)


def checked(target: str, report: Path, only: str) -> dict[str, Any]:
    """The report of a run on the command line; two fleets at a time start soon enough."""
    options = ["--only", only, "--workers", "2", "--json", str(report)]
    said = ran("goldfish", "check", target, *options)
    assert said.returncode in {0, 1}, said.stdout + said.stderr
    (only_one,) = json.loads(report.read_text())["reports"]
    found: dict[str, Any] = only_one
    return found


def fleets(directory: Path) -> list[str]:
    """The worker processes whose sandbox is in that directory."""
    listed = subprocess.run(
        ["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True
    )
    return [line for line in listed.stdout.splitlines() if f"serve.py {directory}" in line]


def wait_until(reached: Any, what: str) -> None:
    """Give other processes up to twenty seconds."""
    for _ in range(400):
        if reached():
            return
        time.sleep(0.05)
    raise AssertionError(f"waited in vain: {what}")


def test_the_same_service_on_redis_holds(tmp_path: Path) -> None:
    """Other processes, odd session ids and texts, and batches, through three workers."""
    codes = [*CERTAIN, "CON02", "DUR16", "ISO14", "FID05"]
    report = checked("memory_fixed.py:memory", tmp_path / "report.json", ",".join(codes))
    assert {each["code"]: each["verdict"] for each in report["checks"]} == dict.fromkeys(
        codes, "held"
    )
    assert report["loss_rate"] == 0.0


def test_its_own_tests_catch_the_one_and_pass_the_other() -> None:
    """Each is one line; here only one of its promises is run."""
    chosen = ["-k", CERTAIN[0], "-p", "no:cacheprovider", "-p", "no:asyncio"]
    assert "1 passed" in ran("pytest", "test_memory.py", *chosen).stdout
    assert "1 failed" in ran("pytest", "test_memory_broken.py", *chosen).stdout


def test_no_worker_outlives_a_goldfish_that_is_killed(tmp_path: Path) -> None:
    """The sandbox is removed by the reaper, and the fleet goes with it."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    running = subprocess.Popen(
        command("goldfish", "check", "memory_broken.py:memory", "--only", "DUR09"),
        cwd=EXAMPLE,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: len(fleets(tmp_path)) >= 3, "for a fleet")
    finally:
        running.kill()
        running.wait()
    wait_until(lambda: not fleets(tmp_path), "for the end of the fleet")

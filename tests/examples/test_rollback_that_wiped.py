"""The example of the rollback that emptied the snapshots table, beyond what its README shows."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[2] / "examples" / "rollback-that-wiped"
ALONE = ["-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:langsmith_plugin"]


def ran(*arguments: str, at: Path = EXAMPLE) -> subprocess.CompletedProcess[str]:
    """What a command says in the directory of the example."""
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=300)


def checked(target: str, report: Path, only: str) -> dict[str, Any]:
    """The report of a run on the command line."""
    said = ran("goldfish", "check", target, "--only", only, "--json", str(report))
    assert said.returncode in {0, 1}, said.stdout + said.stderr
    (only_one,) = json.loads(report.read_text())["reports"]
    found: dict[str, Any] = only_one
    return found


def test_the_accepted_outcome_is_what_the_fixed_manager_makes(tmp_path: Path) -> None:
    """An update without a baseline makes the same, but for ids and times."""
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("__*__"))
    fixed = ["test_memory.py", *ALONE, "--snapshot-update"]
    assert "1 passed" in ran("pytest", *fixed, at=project).stdout
    name = "__snapshots__/test_memory/TestMemory.test_rollback_keeps_every_snapshot.sqlite"
    masks = ["*.created_at=any", "*.updated_at=any", "snapshots.snapshot_id"]
    words = [word for mask in masks for word in ("--ignore", mask)]
    compared = ran("goldfish", "diff", str(EXAMPLE / name), str(project / name), *words)
    assert compared.returncode == 0, compared.stdout + compared.stderr


def test_both_memories_are_held_to_the_same_outcome() -> None:
    """Each test has a file of its own, with the same bytes."""
    files = sorted(EXAMPLE.glob("__snapshots__/*/*.sqlite"))
    assert [file.parent.name for file in files] == ["test_memory", "test_memory_broken"]
    assert len({file.read_bytes() for file in files}) == 1


def test_the_fixed_memory_holds(tmp_path: Path) -> None:
    """All promises about snapshots that it has the methods for."""
    report = checked("memory_fixed.py:memory", tmp_path / "report.json", "SNP")
    assert report["verdict"] == "held"
    assert report["counts"]["held"] >= 15

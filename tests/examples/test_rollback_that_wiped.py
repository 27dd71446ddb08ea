"""The example of the rollback that emptied the snapshots table says what its README says."""

import json
import re
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


def quoted(command: str) -> list[str]:
    """The lines that the README shows under a command, but for the ellipses."""
    blocks = re.findall(r"```console\n(.*?)```", (EXAMPLE / "README.md").read_text(), re.DOTALL)
    (block,) = [each for each in blocks if f"$ {command}\n" in each]
    shown = block.partition(f"$ {command}\n")[2].partition("\n$ ")[0]
    return [line for line in shown.splitlines() if line.strip() != "…"]


def test_the_test_of_one_process_is_green() -> None:
    """That is how the fault came to production."""
    assert "1 passed" in ran("pytest", "test_in_memory.py", *ALONE).stdout


def test_the_test_of_three_processes_catches_the_one_and_passes_the_other() -> None:
    """With the rows that are gone, and what each process saw, as the README quotes them."""
    said = ran("pytest", "test_rollback.py", *ALONE).stdout
    *lines, last = quoted("pytest -q test_rollback.py")
    assert [line for line in lines if line not in said.splitlines()] == []
    assert last.partition(" in ")[0] == "1 failed, 1 passed"
    assert "1 failed, 1 passed" in said


def test_the_accepted_outcome_is_what_the_fixed_manager_makes(tmp_path: Path) -> None:
    """An update without a baseline makes the same, but for ids and times."""
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("__*__"))
    fixed = ["test_rollback.py", "-k", "fixed", *ALONE]
    assert "1 passed" in ran("pytest", *fixed, "--snapshot-update", at=project).stdout
    name = "__snapshots__/test_rollback/test_rollback_keeps_every_snapshot.sqlite"
    masks = ["*.created_at=any", "*.updated_at=any", "snapshots.snapshot_id"]
    words = [word for mask in masks for word in ("--ignore", mask)]
    compared = ran("goldfish", "diff", str(EXAMPLE / name), str(project / name), *words)
    assert compared.returncode == 0, compared.stdout + compared.stderr


def test_the_check_of_the_incident_catches_it(tmp_path: Path) -> None:
    """As lost, in the words of the README."""
    report = checked("manager_broken.py:manager", tmp_path / "report.json", "SNP21")
    (result,) = report["checks"]
    assert (result["verdict"], result["finding"]) == ("broken", "lost")
    words = " ".join(quoted("goldfish check manager_broken.py:manager --only SNP")).split()
    assert (
        " ".join(words)
        .partition(" SNP21 ")[2]
        .startswith(
            "A saves and is killed, B rolls back, C still finds every snapshot and goes to the "
            "others. lost: 3 of 3 snapshots of session "
        )
    )
    assert result["summary"].startswith("3 of 3 snapshots of session ")


def test_the_fixed_manager_holds(tmp_path: Path) -> None:
    """All promises about snapshots that it has the methods for."""
    report = checked("manager_fixed.py:manager", tmp_path / "report.json", "SNP")
    assert report["verdict"] == "held"
    assert report["counts"]["held"] >= 15

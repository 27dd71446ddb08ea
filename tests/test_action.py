"""The GitHub Action: its check step is run as a runner would, on a memory that forgets."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step.get("name", step.get("uses")): step for step in ACTION["runs"]["steps"]}


def run_check(folder: Path, **inputs: str) -> "subprocess.CompletedProcess[str]":
    """Run the script of the check step with these inputs, and the defaults of the others."""
    values = {name: each.get("default", "") for name, each in ACTION["inputs"].items()} | inputs
    given = {f"inputs.{name}": value for name, value in values.items()}
    given["runner.temp"] = str(folder)
    command = folder / "bin" / "goldfish"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m goldfish "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    step = STEPS["Check"]
    environment = {
        name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: given[found[1]], str(value))
        for name, value in step["env"].items()
    }
    github = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, **environment, **github},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_action_checks_reports_and_fails_as_the_command_does(tmp_path: Path) -> None:
    """With all inputs, a summary of the job, the page, the badge, and the annotation."""
    (tmp_path / "known file.toml").write_text('[memory]\nDUR03 = "one worker"\n')
    done = run_check(
        tmp_path,
        targets="memory",
        edition="2026.11",
        profile="shared,durable",
        baseline="known file.toml",
        arguments="--only DUR02,DUR03 --seed 7",
    )
    assert done.returncode == 1, done.stderr
    assert "::error title=DUR02 memory::" in done.stdout
    report = tmp_path / "goldfish-report"
    names = {path.name for path in report.iterdir()}
    assert names == {"report.html", "report.json", "report.xml", "badge.json"}
    badge = json.loads((report / "badge.json").read_text())
    assert badge["label"] == "goldfish 2026.11 shared, durable"
    assert "| `memory` | **broken** | 2 (1 known) |" in (tmp_path / "summary.md").read_text()
    assert (tmp_path / "output").read_text() == f"report={report}\n"


def test_no_input_is_text_of_a_script() -> None:
    """Or a branch with a clever name could run code; and every input is used."""
    scripts = [step["run"] for step in STEPS.values() if "run" in step]
    assert not any("${{" in script for script in scripts)
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert all(f"inputs.{name}" in text for name in ACTION["inputs"])


def test_the_page_names_no_input_that_the_action_does_not_have() -> None:
    """The ten lines that people copy."""
    page = (ROOT / "docs/howto/ci.md").read_text(encoding="utf-8")
    block = page.partition("OWNER/goldfish@main")[2].partition("```")[0]
    assert set(re.findall(r"^ {10}([\w-]+):", block, re.MULTILINE)) <= set(ACTION["inputs"])
    assert "targets:" in block

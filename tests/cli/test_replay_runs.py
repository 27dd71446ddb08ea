"""``goldfish replay`` on what ``--save-runs`` wrote, as the page about it says."""

import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command
from tests.docs.blocks import ROOT, blocks


def test_a_finding_of_a_fresh_directory_becomes_a_test_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After several targets, by the directory above all of them; it names what the user named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    page = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    losing = next(each.text for each in blocks(page) if each.name == "memory.py")
    Path("losing.py").write_text(losing)
    checked = ["check", "losing.py:memory", "memory", "--only", "CON01", "--seed", "7"]
    assert run_command([*checked, "--save-runs", "runs"]) == 1
    assert "goldfish replay runs judges it again" in capsys.readouterr().out
    assert run_command(["replay", "runs"]) == 1
    said = capsys.readouterr().out
    assert "losing.py:memory CON01: broken." in said
    assert run_command(["replay", "runs/losing.py:memory", "--as-test", "tests/test_again.py"]) == 0
    assert 'relive("losing.py:memory", ' in Path("tests/test_again.py").read_text()
    plugins = ["-p", "no:asyncio", "-p", "no:anyio", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, "tests/test_again.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed" in run.stdout
    assert "was acknowledged, but a later read does not return it" in run.stdout

"""A command is accepted wherever a target is: by pytest, by the library, by the comparison."""

import subprocess
import sys
from pathlib import Path

import pytest

import goldfish
from goldfish.cli import run_command
from tests.commands.programs import command


def test_pytest_takes_a_command_by_option_and_in_a_file(tmp_path: Path) -> None:
    """One item per check, with the name of the check."""
    (tmp_path / "test_memory.py").write_text(
        f"import goldfish\ntest_memory = goldfish.suite({command()!r}, only=['DUR02'])\n"
    )
    options = ["--goldfish", command(), "--goldfish-only", "DUR03", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_the_library_takes_a_command() -> None:
    """And says what is wrong with it."""
    with pytest.raises(goldfish.TargetError, match="before it answered initialize"):
        goldfish.suite(command("exits"))


def test_two_commands_are_put_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    """Under their words, because both have the same name."""
    sides = [command(), command("declares")]
    assert run_command(["compare", *sides, "--only", "DUR02", "--seed", "1"]) == 0
    assert "durability  1 held" in capsys.readouterr().out


def test_the_way_to_run_a_check_again_has_the_servers(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever copies the line needs no other."""
    arguments = ["check", command("forgets fields"), "--service", "redis", "--seed", "3"]
    assert run_command([*arguments, "--only", "FID01,FID10", "--json", "-"]) in {0, 1}
    assert "--service redis --only" in capsys.readouterr().out

"""What broke once, made a test and asked again."""

import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.errors import HistoryError
from goldfish.history import About
from goldfish.history.notation import parse_history
from goldfish.testing import relive

RACE = """
0-10 w1 s add a
0-10 w2 s add b
0-10 w3 s add c
20-21 w1 s read: a
"""


def test_a_memory_that_breaks_again_is_told_with_its_history() -> None:
    """Two writes at once, and one of them is gone: found in some round."""
    with pytest.raises(AssertionError, match="lost: ") as failure:
        relive("specimen:saves-its-own-copy", RACE, pods=2)
    assert " add " in str(failure.value)


def test_a_memory_that_is_right_now_passes() -> None:
    """The same calls, each round in sessions of its own."""
    relive("sqlite", RACE, pods=2, rounds=3)
    relive("memory", RACE, pods=0, rounds=3)


def test_kills_and_stops_of_pods_are_repeated() -> None:
    """A write that was cut off may be there or not."""
    relive("sqlite", RACE + "2-5 fault kill pod1\n6-7 fault stop pod2", pods=2, rounds=3)


def test_what_cannot_be_done_again_is_said() -> None:
    """A network that was cut is a matter of the check itself."""
    with pytest.raises(HistoryError, match="keep the check itself"):
        relive("redis", RACE + "2-5 fault network: cut")


def stored(directory: Path, notes: str) -> Path:
    history = parse_history(notes)
    history.about = About("specimen:saves-its-own-copy", "CON01", 7)
    history.save(directory / "CON01.jsonl")
    return directory / "CON01.jsonl"


def test_a_broken_run_becomes_a_test_that_fails_until_it_is_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plain pytest file, with the calls that were in each other's way."""
    run, test = stored(tmp_path, RACE), tmp_path / "test_regression.py"
    assert run_command(["replay", str(run), "--as-test", str(test)]) == 0
    assert "w2 s add b" in test.read_text()
    assert pytest_exit_code(test) == 1
    mended = tmp_path / "test_mended.py"
    assert run_command(["replay", str(run), "--as-test", str(mended), "--against", "sqlite"]) == 0
    assert pytest_exit_code(mended) == 0
    assert run_command(["replay", str(run), "--as-test", str(test)]) == 2
    assert "already exists" in capsys.readouterr().err


def pytest_exit_code(test: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    return subprocess.run(command, cwd=test.parent, capture_output=True, timeout=120).returncode


def test_hostile_contents_cannot_leave_the_test(tmp_path: Path) -> None:
    """What the messages say stays text; what the notation cannot hold gets a name."""
    history = parse_history(RACE)
    hostile = '"""\nimport os\n\\ud800 ] : !'
    calls = [call._replace(session='s" """') for call in history.calls]
    calls[0] = calls[0]._replace(value=(hostile,))
    calls[-1] = calls[-1]._replace(result=())
    history.calls = calls
    history.about = About("sqlite", "CON01", 7)
    history.save(tmp_path / "x.jsonl")
    test = tmp_path / "test_regression.py"
    assert run_command(["replay", str(tmp_path / "x.jsonl"), "--as-test", str(test)]) == 0
    assert hostile not in test.read_text()
    compile(test.read_text(), str(test), "exec")


def test_a_run_that_held_makes_no_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to ask again."""
    run = stored(tmp_path, "0-1 w1 s add a\n2-3 w1 s read: a")
    assert run_command(["replay", str(run), "--as-test", str(tmp_path / "test_x.py")]) == 2
    assert "nothing in this run is broken" in capsys.readouterr().err
    assert not (tmp_path / "test_x.py").exists()

"""Stored histories, judged again."""

from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.history import About
from goldfish.history.notation import parse_history

LOST = """
0-1 w1 s add a b
2-3 w2 s read:
"""
KEPT = """
0-1 w1 s add a b
2-3 w2 s read: a b
"""


def stored(path: Path, notes: str, **about: object) -> Path:
    history = parse_history(notes)
    history.about = About("redis", "CON01", 7, **about)  # type: ignore[arg-type]
    history.save(path)
    return path


def test_a_history_that_lost_something_is_broken_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdict, what was lost, and the calls that show it; exit code 1."""
    assert run_command(["replay", str(stored(tmp_path / "CON01.jsonl", LOST))]) == 1
    told = capsys.readouterr().out
    assert "redis CON01: broken. 2 calls, 2 messages acknowledged, 2 lost." in told
    assert "lost: " in told
    assert "s add a b" in told
    assert "s read:" in told


def test_a_history_that_kept_everything_is_held_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also as one of a directory; histories that no judge looked at are left alone."""
    stored(tmp_path / "CON01.jsonl", KEPT)
    stored(tmp_path / "DUR01.jsonl", LOST, judged=False)
    assert run_command(["replay", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("redis CON01: held.")


def test_hostile_contents_stay_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A message that would steer the terminal is shown as an escape."""
    history = parse_history(LOST)
    first, *others = history.calls
    history.calls = [first._replace(value=("\x1b[31m\nred", "[bold]b[/bold]")), *others]
    history.save(tmp_path / "x.jsonl")
    assert run_command(["replay", str(tmp_path / "x.jsonl")]) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\\x1b[31m\\nred bold" in told


def test_what_cannot_be_replayed_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong file, an empty directory, a run without judged histories: exit code 2."""
    (tmp_path / "no.jsonl").write_text("nonsense")
    stored(tmp_path / "DUR01.jsonl", LOST, judged=False)
    for name in ("no.jsonl", "nowhere", "DUR01.jsonl"):
        assert run_command(["replay", str(tmp_path / name)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_run_is_kept_and_can_be_replayed(tmp_path: Path) -> None:
    """--save-runs keeps a file for each check, and the judged ones are held again."""
    told = ["check", "sqlite", "--only", "CON04", "--only", "DUR02", "--seed", "1"]
    assert run_command([*told, "--save-runs", str(tmp_path)]) == 0
    kept = sorted(path.name for path in (tmp_path / "sqlite" / "latest").iterdir())
    assert kept == ["CON04.jsonl", "DUR02.jsonl"]
    assert run_command(["replay", str(tmp_path / "sqlite" / "latest")]) == 0

"""``goldfish baseline``: known failures by command."""

import sys
import tomllib
from pathlib import Path

import pytest

from goldfish.cli import run_command

ONLY = ["--only", "DUR02,ISO01", "--seed", "5"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one."""
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_broken_today_is_written_accepted_and_dropped_when_mended(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole life of a known failure."""
    assert run_command(["baseline", "memory", "-o", "known.toml", *ONLY]) == 0
    path = project / "known.toml"
    (entry,) = tomllib.loads(path.read_text())["memory"].items()
    assert (entry[0], entry[1]["reason"]) == ("DUR02", "")
    assert entry[1]["finding"].startswith("lost: ")
    assert run_command(["check", "memory", "--baseline", "known.toml", *ONLY]) == 0
    path.write_text(f'{path.read_text()}ISO01 = "it was so"\n')
    assert run_command(["baseline", "memory", "-o", "known.toml", "--update", *ONLY]) == 0
    out = capsys.readouterr().out
    assert "with 1 known failure of memory" in " ".join(out.split())
    assert "Dropped 1, kept 1: ISO01" in out
    assert list(tomllib.loads(path.read_text())["memory"]) == ["DUR02"]


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ('[memory]\nDUR02 = "x"\n', [], "--update drops what is mended in it"),
        ('[sqlite]\nDUR02 = "x"\n', ["--update"], "leave out --update to add it"),
        (None, ["--update"], "leave out --update to write it"),
    ],
)
def test_a_file_that_does_not_suit_is_refused_before_anything_runs(
    project: Path,
    text: str | None,
    options: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nobody's reasons are overwritten."""
    if text is not None:
        (project / "known.toml").write_text(text)
    assert run_command(["baseline", "memory", "-o", "known.toml", *options]) == 2
    assert sentence in capsys.readouterr().err

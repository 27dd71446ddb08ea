"""What a project settles in pyproject.toml for all its runs."""

from pathlib import Path

import pytest

from goldfish.engine.settings import EVERYTHING, Scope, choose_scope, read_settings
from goldfish.errors import UsageError


def settle(folder: Path, text: str) -> Path:
    """Write a pyproject.toml, and return a folder below it."""
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    below = folder / "tests"
    below.mkdir()
    return below


def test_the_nearest_pyproject_settles_edition_and_profile(tmp_path: Path) -> None:
    """An option wins over it, and latest is the word for all checks."""
    below = settle(tmp_path, '[tool.goldfish]\nedition = "2026.11"\nprofile = ["shared"]\n')
    assert choose_scope(None, (), below) == Scope("2026.11", ("shared",))
    assert choose_scope("latest", ["durable"], below) == Scope("", ("durable",))


@pytest.mark.parametrize("text", ["", "[tool.other]\nx = 1\n", "[tool"])
def test_a_pyproject_that_says_nothing_of_goldfish_settles_nothing(
    tmp_path: Path, text: str
) -> None:
    """Nor does one that other tools will complain about."""
    assert read_settings(settle(tmp_path, text)) == EVERYTHING


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("edition = 2026.11", 'write edition = "2026.11", in quotes'),
        ('editon = "2026.11"', "no setting named 'editon': did you mean edition?"),
        ("profile = 3", 'write profile = "shared"'),
        ('profile = "share"', "no profile named 'share': did you mean shared?"),
        ('edition = "2026.1"', "no edition named '2026.1'"),
    ],
)
def test_a_wrong_setting_is_refused(tmp_path: Path, line: str, sentence: str) -> None:
    """With what to write instead."""
    below = settle(tmp_path, f"[tool.goldfish]\n{line}\n")
    with pytest.raises(UsageError) as caught:
        choose_scope(None, (), below)
    assert sentence in str(caught.value)

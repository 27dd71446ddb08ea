"""Packages that a command names: installed once, with a word about it, and with a limit."""

from pathlib import Path

import pytest

from goldfish.errors import TargetError
from goldfish.mcp import packages
from goldfish.mcp.packages import find_package, install

SLOW = """#!/bin/sh
sleep {seconds}
"""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with an npm of our own, which is the only program that is found."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def write_npm(folder: Path, seconds: float) -> None:
    """Write an npm that takes so long."""
    (folder / "npm").write_text(SLOW.format(seconds=seconds))
    (folder / "npm").chmod(0o755)


def test_an_installation_that_takes_its_time_is_told(
    registry: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, with the name of the package; one that is there is not installed again."""
    write_npm(registry, 1)
    monkeypatch.setattr(packages, "SOON", 0.05)
    package = find_package(["npx", "-y", "some-memory@1.0"])
    assert package is not None
    install(package)
    told = capsys.readouterr()
    assert told.err.startswith("Installing some-memory@1.0 … (")
    assert told.out == ""
    install(package)
    assert capsys.readouterr().err == ""


def test_an_installation_without_an_end_is_given_up(
    registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a sentence with the command, so that it can be tried by hand."""
    write_npm(registry, 600)
    monkeypatch.setattr(packages, "INSTALLS_WITHIN", 0.3)
    package = find_package(["npx", "-y", "some-memory"])
    assert package is not None
    with pytest.raises(
        TargetError, match=r"some-memory was not installed within 0\.3 s: try .*npm"
    ):
        install(package)

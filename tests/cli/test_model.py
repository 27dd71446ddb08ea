"""``goldfish model``: where the model is, and how it gets there."""

from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.embedding import model
from tests.embedding.wheels import no_model, only_from, wheel


def test_it_says_where_the_model_is(capsys: pytest.CaptureFixture[str]) -> None:
    """In a sentence for people, and as a path alone for scripts."""
    where = model.find()
    assert run_command(["model"]) == 0
    assert capsys.readouterr().out == f"all-MiniLM-L6-v2 is in {where}\n"
    assert run_command(["model", "path"]) == 0
    assert capsys.readouterr().out == f"{where}\n"


def test_installing_what_is_there_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is fetched twice."""
    assert run_command(["model", "install"]) == 0
    assert capsys.readouterr().out == f"all-MiniLM-L6-v2 is there already, in {model.find()}\n"


def test_without_a_model_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, one sentence."""
    no_model(tmp_path, monkeypatch)
    for words in (["model"], ["model", "path"]):
        assert run_command(words) == 2
        told = "goldfish: the model all-MiniLM-L6-v2 is not on this machine: "
        assert capsys.readouterr().err == told + "run `goldfish model install`\n"


def test_the_model_is_installed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second run says that it is there already."""
    wheel(tmp_path / "shelf")
    only_from(tmp_path / "shelf", monkeypatch)
    no_model(tmp_path, monkeypatch)
    assert run_command(["model", "install"]) == 0
    assert capsys.readouterr().out == f"all-MiniLM-L6-v2 is now in {model.cache_directory()}\n"
    assert run_command(["model", "install"]) == 0
    assert "is there already, in" in capsys.readouterr().out


def test_without_a_network_there_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2; what pip wrote at length is left out."""
    only_from(tmp_path / "shelf", monkeypatch)
    no_model(tmp_path, monkeypatch)
    assert run_command(["model", "install"]) == 2
    told = capsys.readouterr().err
    assert "goldfish: all-MiniLM-L6-v2 could not be downloaded (No matching distribution" in told
    assert "Traceback" not in told


def test_a_model_that_the_user_named_is_not_installed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What we fetch would not be looked at, so we say what to do instead."""
    no_model(tmp_path, monkeypatch)
    monkeypatch.setenv(model.VARIABLE, str(tmp_path / "typo"))
    assert run_command(["model", "install"]) == 2
    assert "or unset it and run `goldfish model install`" in capsys.readouterr().err
    assert not model.cache_directory().exists()


def test_an_unknown_action_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With those that there are."""
    assert run_command(["model", "remove"]) == 2
    assert "no action named 'remove': use install or path" in capsys.readouterr().err

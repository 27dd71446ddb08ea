"""``goldfish replay --html``: stored histories as a page."""

from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.history import About, History
from goldfish.history.notation import parse_history

LOSING = "0-1 w1 s add a\n2-3 w2 s read:"


def test_a_stored_history_becomes_a_page(tmp_path: Path) -> None:
    """What is lost in it is drawn, under the promise of its check."""
    run, page = tmp_path / "CON01.jsonl", tmp_path / "page.html"
    History(parse_history(LOSING).calls, About("files", "CON01", 7)).save(run)
    assert run_command(["replay", str(run), "--html", str(page)]) == 1
    text = page.read_text(encoding="utf-8")
    for words in ("files is broken", "Messages that several processes add", "a missing ✗"):
        assert words in text


def test_a_history_without_a_check_has_a_page_too(tmp_path: Path) -> None:
    """One that a person wrote says neither target nor code."""
    run, page = tmp_path / "mine.jsonl", tmp_path / "page.html"
    History(parse_history("0-1 w1 s add a\n2-3 w2 s read: a").calls).save(run)
    assert run_command(["replay", str(run), "--html", str(page)]) == 0
    assert "history keeps its promises" in page.read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_is_refused_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is judged."""
    assert run_command(["replay", str(tmp_path), "--html", str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err

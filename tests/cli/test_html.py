"""``goldfish check --html``: a run as a page."""

import json
from pathlib import Path

from goldfish.cli import run_command
from goldfish.report.json import parse_reports


def test_a_broken_memory_is_shown_with_the_message_that_it_lost(tmp_path: Path) -> None:
    """The page and the JSON report have the calls, from the write to the read that misses it."""
    page, report = tmp_path / "page.html", tmp_path / "report.json"
    options = ["--only", "DUR02", "--seed", "1", "--html", str(page), "--json", str(report)]
    assert run_command(["check", "memory", *options]) == 1
    text = page.read_text(encoding="utf-8")
    for words in (
        "memory is broken",
        "goldfish check memory --only DUR02 --seed 1",
        'class="follow"',
    ):
        assert words in text
    (result,) = json.loads(report.read_text())["reports"][0]["checks"]
    assert [call["action"] for call in result["history"]["calls"]] == ["add", "read"]
    ((again,),) = [each.results for each in parse_reports(report.read_text(), "it")]
    assert again.excerpt is not None
    assert again.excerpt.about


def test_a_kill_is_among_the_calls(tmp_path: Path) -> None:
    """What was done to a process stands where it happened."""
    report = tmp_path / "report.json"
    assert (
        run_command(["check", "memory", "--only", "DUR12", "--seed", "1", "--json", str(report)])
        == 1
    )
    (result,) = json.loads(report.read_text())["reports"][0]["checks"]
    actions = [call["action"] for call in result["history"]["calls"]]
    assert actions.index("add") < actions.index("fault") < actions.index("read")


def test_a_memory_that_holds_has_a_page_too(tmp_path: Path) -> None:
    """It says so, and lists what was held."""
    page = tmp_path / "page.html"
    assert run_command(["check", "sqlite", "--only", "DUR02", "--html", str(page)]) == 0
    assert "sqlite keeps its promises" in page.read_text(encoding="utf-8")

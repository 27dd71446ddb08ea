"""``goldfish compare``: targets that are run, reports that are read."""

import json
from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.findings.result import Report, Verdict
from goldfish.report.json import render_json
from tests.report.html.stories import BROKEN_REPORT
from tests.report.samples import result


def test_a_target_is_run_and_shown_beside_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page, a document and a table of both; what is broken makes the exit code 1."""
    old, page, both = tmp_path / "old.json", tmp_path / "page.html", tmp_path / "both.json"
    old.write_text(render_json([BROKEN_REPORT]), encoding="utf-8")
    options = ["--only", "ISO01", "--seed", "3", "--html", str(page), "--json", str(both)]
    assert run_command(["compare", "memory", str(old), *options]) == 1
    told = capsys.readouterr().out
    assert told.splitlines()[0].split() == ["memory", "files"]
    assert "1 of 2 memories is broken" in page.read_text(encoding="utf-8")
    names = [each["target"] for each in json.loads(both.read_text())["reports"]]
    assert names == ["memory", "files"]


def test_two_reports_of_one_target_are_told_apart_by_their_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before and after a fix: all held in both is exit code 0."""
    for name in ("before", "after"):
        report = Report("mine", 7, (result("ISO01", Verdict.HELD),))
        (tmp_path / f"{name}.json").write_text(render_json([report]), encoding="utf-8")
    paths = [str(tmp_path / f"{name}.json") for name in ("before", "after")]
    assert run_command(["compare", *paths]) == 0
    assert "mine (before)  mine (after)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["memory"], "needs at least two"),
        (["memory", "nowhere.json"], "cannot read"),
        (["memory", "memory", "--html", "nowhere/page.html"], "cannot be written"),
    ],
)
def test_what_cannot_be_compared_is_said_before_anything_is_run(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong usage is exit code 2 with a way out."""
    assert run_command(["compare", *arguments]) == 2
    assert words in capsys.readouterr().err

"""The summary of a job, in Markdown."""

from dataclasses import replace
from pathlib import Path

import pytest

from goldfish.engine.baseline import Account
from goldfish.findings.result import Report, Verdict
from goldfish.report.markdown import append_step_summary, render_markdown
from tests.report.samples import NASTY_REPORT, result


def test_a_summary_has_a_row_per_target_and_an_entry_per_cause() -> None:
    """With the command that repeats it, and how the checks were asked."""
    broken = replace(
        result("DUR02", Verdict.BROKEN, "'a' is gone"), finding="lost", reproduce="goldfish check x"
    )
    report = Report("x", 7, (broken, result("ISO01", Verdict.HELD)), edition="2026.11")
    text = render_markdown([Account(report), Account(report, {"DUR02": "we know"})])
    assert "| `x` | **broken** | 1 | 1 | 0 | 0 | 0 | seed 7, edition 2026.11 |" in text
    assert "| `x` | **broken as known** | 1 (1 known) | 1 |" in text
    assert text.count("`lost: 'a' is gone`") == 1
    assert "`goldfish check x`" in text


def test_hostile_text_is_no_markup() -> None:
    """It stays in its code span, on its line, without secrets."""
    text = render_markdown([Account(replace(NASTY_REPORT, target="a|`b`"))])
    assert "| `a¦'b'` |" in text
    assert "hunter2" not in text
    assert text.replace("\n", "").isprintable()
    assert all(line.count("`") % 2 == 0 for line in text.splitlines())


def test_a_job_on_github_gets_it_without_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After what other commands of the step have written."""
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    append_step_summary([Account(NASTY_REPORT)])
    assert path.read_text() == "before\n"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    append_step_summary([Account(NASTY_REPORT)])
    assert path.read_text(encoding="utf-8").startswith("before\n## goldfish")

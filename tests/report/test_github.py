"""Annotations for GitHub Actions: one line each, whatever is in them."""

import io
from pathlib import Path

import pytest

from goldfish.engine.baseline import Account
from goldfish.findings.result import Report, Verdict
from goldfish.report.github import annotate, make_annotations, suspend_commands
from goldfish.targets.declaration import target
from tests.report.samples import NASTY_REPORT, result, results_of_many_causes


@target
def factory(sandbox: object) -> object:
    """A target of this repository."""
    return sandbox


@pytest.fixture(autouse=True)
def on_github(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of a workflow, in the checkout that this is."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(Path(__file__).parents[2]))


def told(account: Account) -> list[str]:
    file = io.StringIO()
    annotate(file, [account], [factory])
    return file.getvalue().splitlines()


def test_a_failure_is_one_line_with_its_evidence_and_command() -> None:
    """Percent signs and line ends are escaped; the factory is where it is shown."""
    broken = result("DUR02", Verdict.BROKEN, "100 % gone: a, b\r\n::warning::no", "line 1")
    (line,) = told(Account(Report("a:b,c", 7, (broken, result("ISO01", Verdict.HELD)))))
    begin = "::error file=tests/report/test_github.py,line=15,title=DUR02 a%3Ab%2Cc::What was ack"
    assert line.startswith(begin)
    assert "%0Alost: 100 %25 gone: a, b\\r\\n::warning::no%0Aline 1%0Agoldfish check" in line


def test_what_is_hostile_stays_in_its_line() -> None:
    """No escape, no secret, nothing that cannot be encoded."""
    lines = told(Account(NASTY_REPORT))
    assert [line.partition("title=")[2][:5] for line in lines] == ["DUR02", "DUR03"]
    assert all(line.isprintable() and "hunter2" not in line for line in lines)


def test_what_is_known_is_silent_and_what_is_stale_is_not() -> None:
    """As for the exit code."""
    account = Account(NASTY_REPORT, {"DUR02": "we know"}, {"ISO01": "listed as known, but held"})
    _, stale = make_annotations(account)
    assert stale == (
        "::error title=ISO01 sqlite::stale: listed as known, but held. Remove it from the baseline."
    )


def test_more_than_github_shows_are_counted() -> None:
    """The last annotation says how many are only in the log."""
    lines = told(Account(Report("sqlite", 7, results_of_many_causes("DUR", 14))))
    assert len(lines) == 10
    assert lines[-1] == "::error title=goldfish::5 more failures are in the log of this step."


def test_one_cause_is_one_annotation() -> None:
    """With a line for each other promise that it breaks."""
    broken = tuple(result(f"DUR{number:02}", Verdict.BROKEN, "gone") for number in range(1, 4))
    (line,) = told(Account(Report("sqlite", 7, broken)))
    assert "title=DUR01 sqlite" in line
    assert "breaks 2 more promises:%0ADUR02 lost: gone%0ADUR03 lost: gone" in line


def test_meanwhile_nobody_else_can_command_the_runner() -> None:
    """The word that ends the silence is never the same."""
    files = [io.StringIO(), io.StringIO()]
    for file in files:
        with suspend_commands(file):
            print("::error::not me", file=file)
    lines = files[0].getvalue().splitlines()
    assert lines[0].startswith("::stop-commands::")
    assert lines[2] == f"::{lines[0].removeprefix('::stop-commands::')}::"
    assert files[0].getvalue() != files[1].getvalue()


def test_elsewhere_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal is no runner."""
    monkeypatch.delenv("GITHUB_ACTIONS")
    file = io.StringIO()
    with suspend_commands(file):
        annotate(file, [Account(NASTY_REPORT)], [factory])
    assert file.getvalue() == ""

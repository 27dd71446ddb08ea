"""What a run says while it is running."""

import io
import re
from typing import Any

import pytest
from rich.console import Console

from goldfish.catalogue.registry import Check
from goldfish.engine.events import Finished, Started
from goldfish.findings.result import Verdict
from goldfish.report import progress
from goldfish.report.estimate import Estimate
from goldfish.report.progress import LiveLine, PlainLines, make_watcher
from tests.report.samples import result


async def promise(memory: Any) -> None:
    """Hold, whatever the memory."""


PROMISE = "A [bold]promise[/bold] that is much too long for the line that is there to tell of it."


def started(code: str) -> Started:
    return Started("sqlite", Check(code, promise, promise=PROMISE), 3)


def finished(code: str) -> Finished:
    return Finished("sqlite", result(code, Verdict.HELD), 3)


def test_a_pipe_gets_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """None before the time has come, and each within 80 columns."""
    lines = PlainLines(Estimate("sqlite", 3))
    lines(started("DUR01"))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "EVERY", 0.0)
    lines(started("DUR02"))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("sqlite 0/3 after 0 s: DUR01 A [bold]promise")
    assert len(said.err.rstrip("\n")) <= 80


@pytest.mark.parametrize("width", [40, 80])
def test_a_terminal_gets_a_line_that_changes_in_place(width: int) -> None:
    """With the count, markup shown as it is, and no line too long."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=width, color_system=None)
    with LiveLine(Estimate("sqlite", 3), console) as line:
        line(started("DUR01"))
        line(finished("DUR01"))
        line(started("DUR02"))
    shown = [part for part in re.split(r"[\r\n]|\x1b\[[^A-Za-z]*[A-Za-z]", file.getvalue()) if part]
    assert shown[-1].startswith("sqlite 1/3 after 0 s: DUR02 A [bold]")
    assert max(map(len, shown)) < width


def test_a_log_with_forced_colours_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that changes in place would fill it with escapes."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert isinstance(make_watcher(Estimate("sqlite", 3)), PlainLines)


def test_a_quiet_run_says_nothing_meanwhile(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever happens."""
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with make_watcher(Estimate("sqlite", 3), quiet=True) as silence:
        silence(started("DUR01"))
        silence(finished("DUR01"))
    assert capsys.readouterr() == ("", "")

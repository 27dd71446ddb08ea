"""What a run says while it is running."""

import io
from typing import Any

import pytest
from rich.console import Console

from goldfish.check import Check
from goldfish.report import progress
from goldfish.report.progress import LiveLine, PlainLines, Tally
from goldfish.runner import Finished, Started
from goldfish.verdict import Verdict
from tests.report.samples import result


async def promise(memory: Any) -> None:
    """A [bold]promise[/bold] that is much too long for the line that is there to tell of it."""


def started(code: str) -> Started:
    return Started("sqlite", Check(code, promise, (), "smoke"), 3)


def finished(code: str) -> Finished:
    return Finished("sqlite", result(code, Verdict.HELD), 3)


def test_a_tally_knows_what_is_done_and_what_is_in_hand() -> None:
    """The check that has run longest is the one that people wait for."""
    tally = Tally()
    for event in (started("DUR01"), started("DUR02"), finished("DUR01")):
        tally.note(event)
    assert tally.done == 1
    assert tally.now.startswith("DUR02 A [bold]promise")


def test_a_pipe_gets_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """None before the time has come, and each within 80 columns."""
    lines = PlainLines("sqlite", 3)
    lines(started("DUR01"))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "EVERY", 0.0)
    lines(started("DUR02"))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("sqlite: 0/3 after 0 s, now DUR01 A [bold]promise")
    assert len(said.err.rstrip("\n")) <= 80


def test_a_terminal_gets_a_line_that_changes_in_place() -> None:
    """With the count, and markup shown as it is."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80, color_system=None)
    with LiveLine("sqlite", 3, console) as line:
        line(started("DUR01"))
        line(finished("DUR01"))
        line(started("DUR02"))
    assert "sqlite 1/3 0:00:00 DUR02 A [bold]promise" in file.getvalue()

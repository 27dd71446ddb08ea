"""What a run is doing right now, on standard error: a live line, or a plain one now and then."""

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from goldfish.engine.events import Event
from goldfish.report.estimate import Estimate
from goldfish.report.sanitize import escape_controls, truncate

EVERY = 5.0  # seconds between two plain lines
WIDTH = 80


class Watcher:
    """A listener to the events of a run, entered while it shows them; this one is silent."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        pass

    def __call__(self, event: Event) -> None:
        """Take note of an event."""


class PlainLines(Watcher):
    """A watcher that prints a line every few seconds, for logs and pipes."""

    def __init__(self, estimate: Estimate) -> None:
        self._estimate = estimate
        self._printed = time.monotonic()

    def __call__(self, event: Event) -> None:
        self._estimate.note(event)
        now = time.monotonic()
        if now - self._printed >= EVERY and self._estimate.now:
            self._printed = now
            line = escape_controls(self._estimate.line(now, WIDTH))
            print(truncate(line, WIDTH), file=sys.stderr, flush=True)


class LiveLine(Watcher):
    """A watcher with one line that changes in place, and is gone in the end."""

    def __init__(self, estimate: Estimate, console: Console) -> None:
        self._estimate = estimate
        self._width = (
            min(WIDTH, console.width or WIDTH) - 1
        )  # a full line would wrap on some terminals
        self._live = Live(
            get_renderable=self._render,
            console=console,
            refresh_per_second=4,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        self._estimate.note(event)

    def _render(self) -> Text:
        line = escape_controls(self._estimate.line(time.monotonic(), self._width))
        return Text(truncate(line, self._width), no_wrap=True)


def make_watcher(estimate: Estimate, *, quiet: bool = False) -> Watcher:
    """Return the watcher that suits standard error."""
    if quiet:
        return Watcher()
    console = Console(stderr=True)
    return LiveLine(estimate, console) if _is_live(console) else PlainLines(estimate)


def show_status(what: str, *, quiet: bool = False) -> AbstractContextManager[object]:
    """Show on a terminal that something takes its time."""
    console = Console(stderr=True)
    live = _is_live(console) and not quiet
    return console.status(Text(escape_controls(what))) if live else nullcontext()


def _is_live(console: Console) -> bool:
    """Return True for a terminal; FORCE_COLOR makes one of a log, which has no cursor."""
    return console.is_terminal and console.file.isatty() and not console.is_dumb_terminal

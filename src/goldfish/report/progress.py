"""What a run is doing right now, on standard error: a live line, or a plain one now and then."""

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from goldfish.engine.events import Event
from goldfish.report.estimate import Estimate
from goldfish.report.sanitize import escape_controls, truncate

EVERY = 5.0
WIDTH = 80


class Watcher(Protocol):
    """Something that is told each event, and shows it while it is entered."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def __call__(self, event: Event) -> None: ...


def make_watcher(outlook: Estimate, *, quiet: bool = False) -> Watcher:
    """The one that suits standard error."""
    console = Console(stderr=True)
    if quiet:
        return Silence()
    return LiveLine(outlook, console) if _is_live(console) else PlainLines(outlook)


def show_status(what: str, *, quiet: bool = False) -> AbstractContextManager[object]:
    """Tell that something takes its time, where somebody is looking."""
    console = Console(stderr=True)
    live = _is_live(console) and not quiet
    return console.status(Text(escape_controls(what))) if live else nullcontext()


def _is_live(console: Console) -> bool:
    """Whether a person looks on: FORCE_COLOR makes a terminal of a log, which has no cursor."""
    return console.is_terminal and console.file.isatty() and not console.is_dumb_terminal


class Silence:
    """Nothing at all."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def __call__(self, event: Event) -> None:
        pass


class PlainLines(Silence):
    """A line every few seconds, for logs and pipes."""

    def __init__(self, outlook: Estimate) -> None:
        self._outlook = outlook
        self._said = time.monotonic()

    def __call__(self, event: Event) -> None:
        self._outlook.note(event)
        now = time.monotonic()
        if now - self._said >= EVERY and self._outlook.now:
            self._said = now
            line = escape_controls(self._outlook.line(now, WIDTH))
            print(truncate(line, WIDTH), file=sys.stderr, flush=True)


class LiveLine:
    """One line that changes in place, and is gone in the end."""

    def __init__(self, outlook: Estimate, console: Console) -> None:
        self._outlook = outlook
        self._width = min(WIDTH, console.width) - 1  # a full line would wrap on some terminals
        self._live = Live(
            get_renderable=self._line,
            console=console,
            refresh_per_second=4,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        self._outlook.note(event)

    def _line(self) -> Text:
        line = escape_controls(self._outlook.line(time.monotonic(), self._width))
        return Text(truncate(line, self._width), no_wrap=True)

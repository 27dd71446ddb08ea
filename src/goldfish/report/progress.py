"""What a run is doing right now, on standard error: a live line, or a plain one now and then."""

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from rich.console import Console
from rich.progress import Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from goldfish.report.discretion import beginning, inert
from goldfish.runner import Event, Finished, Started

if TYPE_CHECKING:
    from goldfish.check import Check

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


def watcher(target: str, total: int) -> Watcher:
    """The one that suits standard error."""
    console = Console(stderr=True)
    if _is_live(console):
        return LiveLine(target, total, console)
    return PlainLines(target, total)


def waiting(what: str) -> AbstractContextManager[object]:
    """Tell that something takes its time, where somebody is looking."""
    console = Console(stderr=True)
    return console.status(Text(inert(what))) if _is_live(console) else nullcontext()


def _is_live(console: Console) -> bool:
    return console.is_terminal and not console.is_dumb_terminal


class Tally:
    """How many checks have ended, and which one is in hand."""

    def __init__(self) -> None:
        self.done = 0
        self._running: dict[str, Check] = {}

    def note(self, event: Event) -> None:
        """Count an event."""
        if isinstance(event, Started):
            self._running[event.check.code] = event.check
        elif isinstance(event, Finished):
            self.done += 1
            self._running.pop(event.result.code, None)

    @property
    def now(self) -> str:
        """The promise that has been tested longest."""
        for check in self._running.values():
            return f"{check.code} {check.promise}"
        return ""


class PlainLines:
    """A line every few seconds, for logs and pipes."""

    def __init__(self, target: str, total: int) -> None:
        self._target = target
        self._total = total
        self._tally = Tally()
        self._began = self._said = time.monotonic()

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
        self._tally.note(event)
        now = time.monotonic()
        if now - self._said >= EVERY and self._tally.now:
            self._said = now
            done = (
                f"{self._target}: {self._tally.done}/{self._total} after {now - self._began:.0f} s"
            )
            line = inert(f"{done}, now {self._tally.now}")
            print(beginning(line, WIDTH), file=sys.stderr, flush=True)


class LiveLine:
    """One line that changes in place, and is gone in the end."""

    def __init__(self, target: str, total: int, console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.fields[target]} {task.completed}/{task.total}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._room = max(20, min(WIDTH, console.width) - len(target) - 20)
        self._task: TaskID = self._progress.add_task("", total=total, target=inert(target))
        self._tally = Tally()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def __call__(self, event: Event) -> None:
        self._tally.note(event)
        now = beginning(inert(self._tally.now), self._room)
        self._progress.update(self._task, completed=self._tally.done, description=now)

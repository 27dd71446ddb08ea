"""How far a run has come: what is done, what is running, and how much time is probably left."""

import time
from dataclasses import dataclass, field

from goldfish.engine.events import Event, Finished, Started

ENOUGH = 5  # checks that must have ended before their pace says anything about the others


@dataclass
class Estimate:
    """The progress of a run, check by check; ``max_time`` and ``grow`` are those of its plan.

    The time left is what the remaining checks take at the pace of those that have ended. Checks
    differ, so it is a guess, and is shown as one; a limit on the time is certain, and bounds it.
    """

    target: str
    total: int
    max_time: float | None = None
    grow: bool = False
    began: float = field(default_factory=time.monotonic)
    ended: int = 0
    _running: dict[str, str] = field(default_factory=dict)

    def note(self, event: Event) -> None:
        """Count an event."""
        if isinstance(event, Started):
            self._running[event.check.code] = f"{event.check.code} {event.check.promise}"
        elif isinstance(event, Finished):
            self.ended += 1
            self._running.pop(event.result.code, None)

    @property
    def now(self) -> str:
        """The check that has been running longest, with its promise."""
        # a copy: the line is drawn by another thread
        return next(iter([*self._running.values()]), "")

    @property
    def done(self) -> str:
        """How many checks have ended, and in which pass if the run is a soak."""
        passes, count = divmod(self.ended, self.total)
        if self.ended and not count:  # the last one of a pass
            passes, count = passes - 1, self.total
        return f"{count}/{self.total}" + (f" (pass {passes + 1})" if passes else "")

    def left(self, now: float) -> float | None:
        """Return the seconds that are probably left, or None if too few checks have ended."""
        elapsed = now - self.began
        limit = None if self.max_time is None else max(0.0, self.max_time - elapsed)
        if self.grow and limit is not None:  # it goes on until the time is up
            return limit
        if self.ended < ENOUGH:
            return None
        guess = elapsed / self.ended * max(0, self.total - self.ended)
        return guess if limit is None else min(guess, limit)

    def line(self, now: float, width: int) -> str:
        """Return all of it in one line: "sqlite 16/51 after 9 s, about 20 s left: DUR16 …"."""
        left = self.left(now)
        about = f", {describe_duration(left)} left" if left is not None and self.now else ""
        after = f" after {now - self.began:.0f} s" if width >= 60 or not about else ""
        what = f": {self.now}" if self.now else ""
        return f"{self.target} {self.done}{after}{about}{what}"


def describe_duration(seconds: float) -> str:
    """Return a time as far as it can be trusted: "a few seconds", "about 40 s", "about 3 min"."""
    if seconds < 8:
        return "a few seconds"
    if seconds < 90:
        return f"about {max(10, round(seconds, -1)):.0f} s"
    return f"about {seconds / 60:.0f} min"

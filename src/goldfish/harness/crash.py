"""How a process ended that was not to end, and what it said last."""

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from goldfish.errors import mask
from goldfish.findings.result import Violation
from goldfish.harness.spool import list_calls

MOST_LINES = 8  # of its standard error
MOST_CALLS = 6
# Frames of a dump that are the same for every memory.
OURS = re.compile(r'^  File ".*[/\\](goldfish[/\\]harness|asyncio|threading\.py|<string>)\b')
# What somebody else sends: the system when memory is short, a user, a scheduler.
OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSTOP}


class CrashViolation(Violation):
    """A process that ended itself, and how."""

    def __init__(self, crash: "Crash", text: str, *evidence: str) -> None:
        super().__init__(text, *evidence)
        self.crash = crash


@dataclass(frozen=True)
class Crash:
    """The exit code of a process, negative for a signal, its last errors and its last calls."""

    code: int
    errors: Sequence[str] = ()
    calls: Sequence[str] = ()  # as the spool has them

    @property
    def is_own(self) -> bool:
        """Whether the process ended itself, and was not ended from outside."""
        return -self.code not in OUTSIDE

    def __str__(self) -> str:
        """Return how it ended: by which signal, or with which exit code."""
        if self.code >= 0:
            return f"ended itself with exit code {self.code}"
        try:
            return f"was ended by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was ended by signal {-self.code}"

    def blame(self, during: str = "") -> CrashViolation:
        """Return what is held against the memory."""
        underway = [call for call, is_over in self._recent if not is_over]
        during = during or ", ".join(call.partition("(")[0] for call in underway[-3:])
        when = f" during {during}" if during else ""
        summary = f"crashed: the process of the memory {self}{when}"
        return CrashViolation(self, summary, *self._evidence)

    @property
    def _recent(self) -> list[tuple[str, bool]]:
        return list_calls(self.calls)

    @property
    def _evidence(self) -> list[str]:
        """The last calls, those under way last, and the last lines of standard error."""
        calls = sorted(self._recent, key=lambda call: not call[1])[-MOST_CALLS:]
        return [
            *(f"{'returned' if is_over else 'under way'}: {mask(call)}" for call, is_over in calls),
            *(f"stderr: {mask(line)}" for line in _leave_out_harness(self.errors)[-MOST_LINES:]),
        ]


class EndedItselfError(Exception):
    """The process in which a store lives has ended by itself; ``crash`` says how."""

    def __init__(self, crash: Crash) -> None:
        super().__init__(str(crash))
        self.crash = crash


def _leave_out_harness(lines: Sequence[str]) -> list[str]:
    """Return the lines of standard error without empty ones and frames of the harness."""
    return [line for line in lines if line.strip() and not OURS.match(line)]

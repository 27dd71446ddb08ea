"""Calls that failed or never ended though nothing was done to the world: refused, wedged."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from goldfish.history import FAULT, Call
from goldfish.judges.findings import Finding, shortened


def unanswered(calls: Sequence[Call]) -> Iterator[Finding]:
    """The calls that failed or got no answer while no fault was under way."""
    during = _Faults(call for call in calls if call.action == FAULT)
    for call in calls:
        if call.outcome == "ok" or call.action == FAULT or during.overlap(call):
            continue
        if call.outcome == "fail":
            text = f"{_asked(call)} failed: {shortened(call.error or 'an error', 120)}"
            yield Finding("refused", call.session, text, (call,))
        elif call.timed_out:
            text = f"{_asked(call)} got no answer"
            yield Finding("wedged", call.session, text, (call,))


def _asked(call: Call) -> str:
    return f"{'an' if call.action == 'add' else 'a'} {call.action} by {call.process}"


class _Faults:
    """The times at which the harness interfered."""

    def __init__(self, faults: Iterable[Call]) -> None:
        ordered = sorted(faults, key=lambda fault: fault.start)
        self._starts = [fault.start for fault in ordered]
        self._latest_ends = list(accumulate((fault.end for fault in ordered), max))

    def overlap(self, call: Call) -> bool:
        """Whether a fault began before the call ended and ended after the call began."""
        begun = bisect_right(self._starts, call.end)
        return begun > 0 and self._latest_ends[begun - 1] >= call.start

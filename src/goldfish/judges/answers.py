"""The judge of refused and wedged: calls that failed or never ended while no fault was on."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from goldfish.history import FAULT, Call
from goldfish.judges.findings import Finding, quote


def find_unanswered(calls: Sequence[Call]) -> Iterator[Finding]:
    """Yield the calls that failed or got no answer while no fault was under way."""
    during = _Faults(call for call in calls if call.action == FAULT)
    for call in calls:
        if call.outcome == "ok" or call.action == FAULT or during.has_overlap(call):
            continue
        if call.outcome == "fail":
            text = f"{_describe_call(call)} failed: {quote(call.error or 'an error', 120)}"
            yield Finding("refused", call.session, text, (call,))
        elif call.timed_out:
            text = f"{_describe_call(call)} got no answer"
            yield Finding("wedged", call.session, text, (call,))


def _describe_call(call: Call) -> str:
    return f"{'an' if call.action == 'add' else 'a'} {call.action} by {call.process}"


class _Faults:
    """The times at which the harness interfered."""

    def __init__(self, faults: Iterable[Call]) -> None:
        ordered = sorted(faults, key=lambda fault: fault.start)
        self._starts = [fault.start for fault in ordered]
        self._latest_ends = list(accumulate((fault.end for fault in ordered), max))

    def has_overlap(self, call: Call) -> bool:
        """Return True if a fault was under way at some moment of the call."""
        begun = bisect_right(self._starts, call.end)
        return begun > 0 and self._latest_ends[begun - 1] >= call.start

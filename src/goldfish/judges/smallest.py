"""The smallest part of a history in which a finding can still be seen.

Not every call can be left out: without a clear, what it removed would look lost. These can:

- a read, always;
- an add, with its messages in all reads, where no trim counts them: what is left of every read is
  a window of what is left of the log; the same for those that surely came before all that are
  kept, whatever is trimmed, and for those that began after the last read;
- a removal that came before all adds that are kept, or after all reads, or that keeps them all.

Where the finding is that something was shown, and not that something was missing, anything can be
left out: it proves itself.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import inf
from typing import Any

from goldfish.findings.kinds import Sign, has_sign
from goldfish.history import FAULT, Call, History
from goldfish.judges import judge
from goldfish.judges.findings import Finding
from goldfish.judges.rollbacks import ROLLBACK, forget_rolled_back

WORK = 1_000_000  # at most, a message read counting one and a call ten: about a second


def find_smallest(history: History | Iterable[Call], finding: Finding) -> list[Call]:
    """Return a few calls that show the same kind of finding, in the order of their ends.

    What the reads showed beside it is left out of them. If nothing can be left out, all calls of
    the session are returned. Faults that were under way are kept.
    """
    calls = history.calls if isinstance(history, History) else list(history)
    if not finding.elements:  # an answer speaks for itself
        found = list(finding.calls)
    else:
        found = _Shrinking(_select_concerned(calls, finding), finding).shrink()
    rollbacks = [call for call in calls if _is_rollback(call, finding.session)]
    found += sorted(rollbacks, key=lambda call: call.end)[-1:]
    faults = [call for call in calls if call.action == FAULT]
    found += [fault for fault in faults if any(fault.overlaps(call) for call in found)]
    return sorted(found, key=lambda call: call.end)


def _select_concerned(calls: Iterable[Call], finding: Finding) -> list[Call]:
    """Return the calls of the session that matter, and those of the finding in another one."""
    of_session = [call for call in calls if call.session == finding.session]
    own = [call for call in forget_rolled_back(of_session) if _is_telling(call)]
    return own + [call for call in finding.calls if call.session != finding.session]


def _is_telling(call: Call) -> bool:
    if call.action == "read":
        return call.outcome == "ok" and call.result is not None
    return call.action in {"add", "trim", "clear"}


def _is_rollback(call: Call, session: str) -> bool:
    return call.action == ROLLBACK and call.session == session


class _Shrinking:
    """The search for a smaller part of the calls, a set of places, on which the judge agrees."""

    def __init__(self, calls: list[Call], finding: Finding) -> None:
        self._calls = calls
        self._finding = finding
        self._adds = self._find_places("add")
        self._reads = self._find_places("read")
        self._removals = self._find_places("trim", "clear")
        self._fixed = set() if has_sign(finding.kind, Sign.PRESENCE) else self._removals
        self._kept = set(range(len(calls)))
        self._work = 0
        times = Counter(key for place in self._adds for key in _list_keys(calls[place]))
        self._strange = {_make_key(each) for each in finding.elements}.difference(times)
        self._again = {key for key, count in times.items() if count > 1}

    def _find_places(self, *actions: str) -> set[int]:
        return {place for place, call in enumerate(self._calls) if call.action in actions}

    def shrink(self) -> list[Call]:
        """Return the calls of the smallest part that was found."""
        for start in self._list_starts():
            if self._is_shown_by(start):
                self._kept = start
                break
        self._cut_front()
        self._thin_out()
        return self._select(self._kept)

    def _list_starts(self) -> Iterator[set[int]]:
        """Yield what the finding names; then that with all adds, with its reads, with both."""
        proof = self._finding.calls
        named = {place for place, call in enumerate(self._calls) if call in proof}
        named |= self._find_touching(self._adds)
        touching = self._find_touching(self._reads)
        yield named | self._fixed
        named |= self._removals
        yield named
        yield named | self._adds
        yield named | touching
        yield named | touching | self._adds
        yield named | self._reads

    def _find_touching(self, places: set[int]) -> set[int]:
        """Return the places of those calls that have one of the messages concerned."""
        wanted = set(map(_make_key, self._finding.elements))
        return {place for place in places if not wanted.isdisjoint(_list_keys(self._calls[place]))}

    def _cut_front(self) -> None:
        """Leave out as many of the oldest adds as the finding allows, found by halving."""
        adds = sorted(self._kept & self._adds, key=lambda place: self._calls[place].start)
        ends = accumulate((_get_end(self._calls[place]) for place in adds), max)
        pairs = zip(ends, adds[1:], strict=False)
        cuts = [i for i, (end, after) in enumerate(pairs, 1) if end < self._calls[after].start]
        low, high = 0, len(cuts)
        while low < high:
            middle = (low + high) // 2
            if self._try(self._kept.difference(adds[: cuts[middle]])):
                low = middle + 1
            else:
                high = middle

    def _thin_out(self) -> None:
        """Leave out reads and adds, in ever smaller groups."""
        size = len(self._kept)
        while size:
            loose = sorted(self._kept - self._fixed)
            for begin in range(0, len(loose), size):
                self._try(self._kept.difference(loose[begin : begin + size]))
            size //= 2

    def _try(self, part: set[int]) -> bool:
        if len(part) < len(self._kept) and self._is_shown_by(part):
            self._kept = part
            return True
        return False

    def _is_shown_by(self, part: set[int]) -> bool:
        """Return True if the part may stand for the whole, and the judge finds the same there."""
        if self._work >= WORK:
            return False
        calls = self._select(part)
        self._work += sum(10 + len(call.result if call.action == "read" else ()) for call in calls)
        if not self._is_fair(part, calls):
            return False
        found = judge(calls).findings
        same = (self._finding.kind, self._finding.session)
        return any((each.kind, each.session) == same for each in found)

    def _is_fair(self, part: set[int], calls: list[Call]) -> bool:
        """Return True if leaving out the other adds cannot make a correct store look wrong."""
        gone = [self._calls[place] for place in self._adds - part]
        if any(not self._again.isdisjoint(_list_keys(call)) for call in gone):
            return False  # what was added again must not look as if it had been added once
        if not self._fixed or not any(call.action == "trim" and call.value for call in calls):
            return True
        begun, read = self._find_start(part), self._find_last_read(part)
        return all(_get_end(call) < begun or call.start > read for call in gone)

    def _find_start(self, part: set[int]) -> float:
        return min((self._calls[place].start for place in part & self._adds), default=inf)

    def _find_last_read(self, part: set[int]) -> float:
        return max((self._calls[place].end for place in part & self._reads), default=-inf)

    def _select(self, part: set[int]) -> list[Call]:
        """Return the calls of the part, with reads of what is left, and without idle removals."""
        adds = [self._calls[place] for place in sorted(part & self._adds)]
        known = {key for call in adds for key in _list_keys(call)}
        known |= self._strange
        reads = [_narrow(self._calls[place], known) for place in sorted(part & self._reads)]
        return (
            adds
            + reads
            + list(self._find_removals_at_work(part, sum(len(call.value) for call in adds)))
        )

    def _find_removals_at_work(self, part: set[int], size: int) -> Iterator[Call]:
        """Yield the removals that can have removed any of so many messages before a read."""
        begun, read = self._find_start(part), self._find_last_read(part)
        for place in sorted(part & self._removals):
            call = self._calls[place]
            if _get_end(call) >= begun and call.start <= read and (call.value or 0) < size:
                yield call


def _get_end(call: Call) -> float:
    return call.end if call.outcome == "ok" else inf


def _narrow(read: Call, known: set[Any]) -> Call:
    """Return the read of known messages alone; one of the last messages asks for fewer."""
    result = tuple(content for content in read.result if _make_key(content) in known)
    full = read.value is not None and len(read.result) == read.value
    return read._replace(result=result, value=len(result) if full else read.value)


def _list_keys(call: Call) -> list[Any]:
    return [_make_key(content) for content in (call.value if call.action == "add" else call.result)]


def _make_key(content: Any) -> Any:
    return content if isinstance(content, str) else (repr(content),)

"""The bounds of the instant at which each message was added, as narrow as the reads make them.

What comes earlier in the one order was added earlier: so along a strand the lower bounds can only
rise, and the upper bounds only fall towards the front. A read raises the lower bound of what
comes after its window, and lowers the upper bound of what is in it or before it.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate
from operator import gt

from goldfish.judges.sessions import FRONT, Read, Session
from goldfish.judges.strands import Strands


class Bounds:
    """The earliest and the latest instant at which each message can have been added.

    ``broken`` are the rows whose bounds contradict each other, with their bounds one by one: no
    order in time explains them. Their messages keep the bounds that need no strand. ``overlooked``
    are messages that were there before a read that shows the log from its beginning to elsewhere.
    """

    def __init__(self, session: Session, strands: Strands) -> None:
        self.since = session.starts.copy()
        self.by = session.ends.copy()
        self.broken: dict[int, tuple[list[float], list[float]]] = {}
        self.overlooked: dict[int, Read] = {}
        self._sound: set[int] = set()
        self._reads: dict[int, list[Read]] = defaultdict(list)
        self._rows = strands.rows
        for read in session.reads:
            self._reads[read.row].append(read)
        self._observe_singly(self._reads.pop(-1, ()))
        if session.repeated:
            self._observe_repeated(session)
        for row in strands.seams:  # the order in such a row is not that of the log
            self._forget_row(self._reads.get(row, []))
        for row, reads in self._reads.items():
            if row not in strands.seams:
                self._narrow(row, reads)
        if strands.row_of[FRONT] in self._sound:
            self._push_back(strands.row_of, session.repeated)
        for row in self.broken:
            self._forget_row(self._reads[row])

    def _observe_singly(self, reads: Iterable[Read]) -> None:
        by = self.by
        for read in reads:
            for number in read.shown:
                by[number] = min(by[number], read.call.end)
            if read.ids:
                read.earliest = max(read.call.start, max(self.since[each] for each in read.ids))

    def _forget_row(self, reads: list[Read]) -> None:
        self._observe_singly(reads)
        for read in reads:
            read.row = -1

    def _observe_repeated(self, session: Session) -> None:
        for read in session.reads:
            for number in read.shown & session.repeated:
                self.by[number] = min(self.by[number], read.call.end)

    def _bound_singly(self, row: int) -> tuple[list[float], list[float]]:
        """Return the bounds of the row's messages one by one, before they are compared."""
        numbers = self._rows[row]
        lower = list(map(self.since.__getitem__, numbers))
        upper = list(map(self.by.__getitem__, numbers))
        size = len(numbers)
        for read in self._reads[row]:
            high, call = read.high, read.call
            if high < size and call.start > lower[high]:
                lower[high] = call.start
            if call.end < upper[high - 1]:
                upper[high - 1] = call.end
        return lower, upper

    def _narrow(self, row: int, reads: list[Read]) -> None:
        lower, upper = self._bound_singly(row)
        since = list(accumulate(lower, max))
        by = list(accumulate(reversed(upper), min))
        by.reverse()
        if any(map(gt, since, by)):
            self.broken[row] = lower, upper
            return
        self._sound.add(row)
        all_since, all_by = self.since, self.by
        for number, early, late in zip(self._rows[row], since, by, strict=True):
            all_since[number] = early
            all_by[number] = late
        by.append(float("inf"))
        for read in reads:  # whose bounds are those of its call until now
            high = read.high
            if since[high - 1] > read.earliest:
                read.earliest = since[high - 1]
            if by[high] < read.latest:
                read.latest = by[high]

    def _push_back(self, row_of: list[int], repeated: set[int]) -> None:
        """Raise the lower bounds of all that is not in the row that begins the log."""
        first = row_of[FRONT]
        latest = max(self._reads[first], key=_get_earliest)
        for number, row in enumerate(row_of):
            if row == first or number in repeated:
                continue
            if self.by[number] < latest.earliest:
                self.overlooked[number] = latest
            else:
                self.since[number] = max(self.since[number], latest.earliest)

    def get_reads(self, row: int) -> list[Read]:
        """Return the reads whose windows are in the row."""
        return self._reads[row]

    def get_profile(self, read: Read) -> list[float]:
        """Return the upper bounds of what the read shows, rising."""
        if read.profile is None:
            read.profile = sorted(map(self.by.__getitem__, read.ids))
        return read.profile


def _get_earliest(read: Read) -> float:
    return read.earliest

"""Which of the messages that a read lacks a removal may have taken, each looked at alone."""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import inf

from goldfish.judges.bounds import Bounds
from goldfish.judges.sessions import Read, Removal, Session


class Excuses:
    """For every read the messages that it may lack, as a part of the order of their starts.

    A removal may have taken a message if it may have come later, and if as many as it keeps may
    have been added in between. What excuses one message excuses all that began before it.
    """

    def __init__(self, session: Session, bounds: Bounds, order: list[int]) -> None:
        self._session = session
        self._bounds = bounds
        self._order = order
        self._starts = [bounds.since[number] for number in order]
        self._count()
        self._removal_starts = [removal.start for removal in session.removals]
        self._reaches = list(accumulate(map(self._reach, session.removals), max))
        self._kept = list(accumulate((removal.keep for removal in session.removals), min))

    def _count(self) -> None:
        session, by, since = self._session, self._bounds.by, self._bounds.since
        single = [number for number in range(1, len(by)) if number not in session.repeated]
        self._settled = sorted(by[number] for number in single)
        again = [session.starts[number] for number in session.repeated] + session.again
        self._begun = sorted([since[number] for number in single] + again)

    def _reach(self, removal: Removal) -> int:
        """How far up in the order of their starts the removal may have taken messages."""
        spare = bisect_right(self._begun, removal.end) - 1 - removal.keep
        if spare < 0:
            return 0
        limit = self._settled[spare] if spare < len(self._settled) else inf
        reach = bisect_right(self._starts, min(removal.end, limit))
        return self._without_tail(reach, spare)

    def _without_tail(self, reach: int, spare: int) -> int:
        """Leave out the end of the topmost batch where too few can follow it."""
        if not reach:
            return 0
        top = self._order[reach - 1]
        index = top - self._session.batch(top)[0]
        before = bisect_left(self._settled, self._bounds.since[top])
        while index > max(spare - before, 0) and self._order[reach - 1] == top:
            reach, top, index = reach - 1, top - 1, index - 1
        return reach

    def reach(self, read: Read) -> int:
        """How many messages, in the order of their starts, the read need not show."""
        begun = bisect_right(self._removal_starts, read.latest)
        return self._reaches[begun - 1] if begun else 0

    def left(self, read: Read) -> float:
        """How many messages at least the removals before the read have left of any number."""
        begun = bisect_right(self._removal_starts, read.latest)
        return self._kept[begun - 1] if begun else inf

"""The messages that a read may lack because a removal may have taken them, each by itself."""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import inf

from goldfish.judges.bounds import Bounds
from goldfish.judges.sessions import Read, Removal, Session


class Excuses:
    """The messages that each read may lack, as a part of the order of their starts.

    A removal may have taken a message if it may have come later, and if as many as it keeps may
    have been added in between. What excuses one message excuses all that began before it.
    """

    def __init__(self, session: Session, bounds: Bounds, order: list[int]) -> None:
        self._session = session
        self._bounds = bounds
        self._order = order
        self._starts = [bounds.since[number] for number in order]
        self._count_messages()
        self._removal_starts = [removal.start for removal in session.removals]
        self._reaches = list(accumulate(map(self._find_reach, session.removals), max))
        self._kept = list(accumulate((removal.keep for removal in session.removals), min))

    def _count_messages(self) -> None:
        session, by, since = self._session, self._bounds.by, self._bounds.since
        single = [number for number in range(1, len(by)) if number not in session.repeated]
        self._settled = sorted(by[number] for number in single)
        again = [session.starts[number] for number in session.repeated] + session.again
        self._begun = sorted([since[number] for number in single] + again)

    def _find_reach(self, removal: Removal) -> int:
        """Return how far up in the order of their starts the removal may have taken messages."""
        spare = bisect_right(self._begun, removal.end) - 1 - removal.keep
        if spare < 0:
            return 0
        limit = self._settled[spare] if spare < len(self._settled) else inf
        reach = bisect_right(self._starts, min(removal.end, limit))
        return self._drop_tail(reach, spare)

    def _drop_tail(self, reach: int, spare: int) -> int:
        """Leave out the end of the topmost batch where too few can follow it."""
        if not reach:
            return 0
        top = self._order[reach - 1]
        index = top - self._session.get_batch(top)[0]
        before = bisect_left(self._settled, self._bounds.since[top])
        while index > max(spare - before, 0) and self._order[reach - 1] == top:
            reach, top, index = reach - 1, top - 1, index - 1
        return reach

    def count_excused(self, read: Read) -> int:
        """Return how many messages, in the order of their starts, the read need not show."""
        begun = bisect_right(self._removal_starts, read.latest)
        return self._reaches[begun - 1] if begun else 0

    def count_left(self, read: Read) -> float:
        """Return how many messages at least the removals before the read have left."""
        begun = bisect_right(self._removal_starts, read.latest)
        return self._kept[begun - 1] if begun else inf

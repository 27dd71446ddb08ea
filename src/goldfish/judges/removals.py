"""The trims and clears of a session: which of them may explain where a read begins."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from math import inf

from goldfish.judges.bounds import Bounds
from goldfish.judges.sessions import Read, Removal, Session


class _Group:
    """The removals that keep the same number, by their starts."""

    def __init__(self, removals: list[Removal]) -> None:
        self._starts = [removal.start for removal in removals]
        self._ends = list(accumulate((removal.end for removal in removals), max))
        self._certain = [removal for removal in removals if removal.end < inf]
        self._certain_starts = [removal.start for removal in self._certain]
        ends = [(removal.end, place) for place, removal in enumerate(self._certain)]
        self._soonest = list(accumulate(reversed(ends), min))[::-1]

    def find_latest_end(self, begun_by: float) -> float:
        """Return the latest end of those that began by the moment."""
        begun = bisect_right(self._starts, begun_by)
        return self._ends[begun - 1] if begun else -inf

    def find_between(self, after: float, before: float) -> Removal | None:
        """Return one that surely began after the one moment, and was over before the other."""
        first = bisect_right(self._certain_starts, after)
        if first < len(self._soonest) and self._soonest[first][0] < before:
            return self._certain[self._soonest[first][1]]
        return None


class Removals:
    """What the removals of a session mean for its reads.

    A removal takes all but the last ``keep`` messages, so after it the window begins with the
    first of those. If it is the one that put the front where a read saw it, it came right after
    the message at place ``keep`` of that read was added, and before the next one was.
    """

    def __init__(self, session: Session, bounds: Bounds) -> None:
        self._session = session
        self.bounds = bounds
        alike: dict[int, list[Removal]] = defaultdict(list)
        for removal in session.removals:
            alike[removal.keep].append(removal)
        self._groups = {keep: _Group(alike[keep]) for keep in sorted(alike)}

    def find_front(self, read: Read) -> float:
        """Return the latest moment at which the front may have been put where the read begins."""
        if read.front is None:
            read.front = max((end for _, end in self._find_fronts(read)), default=-inf)
        return read.front

    def may_have_cut(self, read: Read) -> bool:
        """Return True if a trim may have cut the batch with which the read begins."""
        if self._session.repeated:  # the places in the read are then not those in the log
            return any(removal.keep for removal in self._session.removals)
        return any(keep > 0 for keep, _ in self._find_fronts(read))

    def _find_fronts(self, read: Read) -> Iterator[tuple[int, float]]:
        ids, closes, since = read.ids, self._session.closes, self.bounds.since
        for keep, group in self._groups.items():
            if keep > len(ids):
                return
            if keep == 0 or closes[ids[keep - 1]]:
                before = self.find_latest(read, keep) if keep < len(ids) else inf
                end = group.find_latest_end(min(read.latest, before))
                if end > -inf and (keep == 0 or end >= since[ids[keep - 1]]):
                    yield keep, end

    def find_latest(self, read: Read, place: int) -> float:
        """Return when at the latest the messages of the read up to this place were added."""
        if read.row >= 0:
            return self.bounds.by[read.ids[place]]
        return self.bounds.get_profile(read)[place]

    def find_contradicting(self, read: Read) -> Removal | None:
        """Return a removal that was over before the read, and kept less than the read shows."""
        for keep, group in self._groups.items():
            if keep >= len(read.ids):
                break
            found = group.find_between(self.find_latest(read, keep), read.earliest)
            if found is not None:
                return found
        return None

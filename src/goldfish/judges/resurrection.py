"""The judge of resurrected: what reads show though it must have been removed."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, groupby
from typing import NamedTuple

from goldfish.history import Call
from goldfish.judges.findings import PER_KIND, Finding, inflect, join_names, sort_distinct
from goldfish.judges.presence import Presence
from goldfish.judges.removals import Removals
from goldfish.judges.sessions import FRONT, Read, Session

GONE = "gone from one read, but another, which must be later,"


def find_resurrected(session: Session, removals: Removals, presence: Presence) -> list[Finding]:
    """Return the first reads that show what was gone; note it as risen in all of them."""
    resurrection = _Resurrection(session, removals)
    resurrection.search(presence)
    return list(resurrection.list_findings())


class _Return(NamedTuple):
    """A read that shows what a removal or another read says is gone."""

    read: Read
    gone: Call
    back: list[int]
    why: str
    without: Read | None = None


class _Resurrection:
    """The search for what came back, after a removal or after a read that showed it gone."""

    def __init__(self, session: Session, removals: Removals) -> None:
        self._session = session
        self._bounds = removals.bounds
        self._removals = removals
        self._found: list[_Return] = []
        whole = [
            (self._find_front(read), place)
            for place, read in enumerate(session.reads)
            if read.whole
        ]
        whole.sort()
        self._fronts = [front for front, _ in whole]
        latest = [(session.reads[place].latest, place) for _, place in whole]
        self._soonest = list(accumulate(reversed(latest), min))[::-1]  # of all with a later front

    def _find_front(self, read: Read) -> float:
        """Return a moment: what was added before it lies before the window of the read."""
        if not read.ids:
            return read.earliest
        if read.row >= 0:
            return self._bounds.since[read.ids[0]]
        return min(self._bounds.since[number] for number in read.ids)  # in whatever order

    def search(self, presence: Presence) -> None:
        """Note in the reads what came back; unless it was never gone, but missed by a read."""
        for found in self._find_returns():
            if not (found.without and presence.find_lacking(found.without, found.back)):
                found.read.risen = found.read.risen.union(found.back)
                self._found.append(found)

    def list_findings(self) -> Iterator[Finding]:
        """Yield the first reads that show what was gone, each once."""
        once = {id(found.read): found for found in reversed(self._found)}
        for found in sorted(once.values(), key=lambda found: found.read.call.end)[:PER_KIND]:
            contents = self._session.get_contents(found.back)
            text = f"{join_names(contents)} {inflect(contents, 'was')} {found.why}"
            text += f" returns {inflect(contents, 'it')}"
            calls = [self._session.get_add(found.back[0]), found.gone, found.read.call]
            yield Finding("resurrected", self._session.name, text, sort_distinct(calls), contents)

    def _find_returns(self) -> Iterator[_Return]:
        for read in self._session.reads:
            if read.ids and read.ids[0] != FRONT:
                found = self._find_after_removal(read) or self._find_after_read(read)
                if found:
                    yield found
        for row in {read.row for read in self._session.reads if read.row >= 0}:
            yield from _find_setbacks(self._bounds.get_reads(row))
            yield from _find_setbacks_in_time(self._bounds.get_reads(row))

    def _find_after_removal(self, read: Read) -> _Return | None:
        removal = self._removals.find_contradicting(read)
        if removal is None:
            return None
        by = self._bounds.by
        old = [number for number in read.ids if by[number] < removal.start]
        what = "a clear" if removal.call.action == "clear" else f"a trim to the last {removal.keep}"
        back = old[: len(old) - removal.keep]
        return _Return(read, removal.call, back, f"removed by {what}, but a later read")

    def _find_after_read(self, read: Read) -> _Return | None:
        first = bisect_right(self._fronts, self._removals.find_latest(read, 0))
        if first >= len(self._soonest) or self._soonest[first][0] >= read.earliest:
            return None
        without = self._session.reads[self._soonest[first][1]]
        gone = self._find_front(without)
        back = [number for number in read.ids if self._bounds.by[number] < gone]
        return _Return(read, without.call, back, GONE, without)


def _find_setbacks(reads: list[Read]) -> Iterator[_Return]:
    """Yield windows of one strand that end later than another and yet begin before it."""
    furthest: Read | None = None
    for read in sorted(reads, key=lambda read: (read.high, read.low)):
        if furthest and read.low < furthest.low and furthest.high < read.high:
            yield _make_return(read, furthest)
        if read.whole and (furthest is None or read.low > furthest.low):
            furthest = read


def _find_setbacks_in_time(reads: list[Read]) -> Iterator[_Return]:
    """Yield windows of one strand that were read later than another and yet begin before it."""
    soonest: Read | None = None
    for _, alike in groupby(sorted(reads, key=lambda read: -read.low), lambda read: read.low):
        group = list(alike)
        if soonest:
            late = (read for read in group if soonest.latest < read.earliest)
            yield from (_make_return(read, soonest) for read in late)
        whole = [read for read in group if read.whole] + ([soonest] if soonest else [])
        soonest = min(whole, key=lambda read: read.latest, default=None)


def _make_return(read: Read, without: Read) -> _Return:
    messages = read.ids[1:] if read.ids[0] == FRONT else read.ids
    return _Return(read, without.call, messages[: without.low - read.low], GONE, without)

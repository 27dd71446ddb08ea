"""The judge of lost and stale: what reads had to show and did not."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import zip_longest
from math import inf

from goldfish.history import Call
from goldfish.judges.excuses import Excuses
from goldfish.judges.findings import PER_KIND, Finding, inflect, join_names, sort_distinct
from goldfish.judges.removals import Removals
from goldfish.judges.sessions import FRONT, Read, Session


class Presence:
    """The messages that each read had to show.

    A message is due in a read if its add was over before the read looked, unless a removal may
    have taken it before. Removals take from the front: what a removal excuses for one message it
    excuses for all that began before it. So in the order of their starts there is a floor for
    every read, and all above it that were there in time are due.
    """

    def __init__(self, session: Session, removals: Removals) -> None:
        self._session = session
        self._bounds = bounds = removals.bounds
        self._removals = removals
        since, by = bounds.since, bounds.by
        known = [number for number in range(1, len(by)) if by[number] < inf]
        self._order = sorted(known, key=since.__getitem__)
        self._starts = [since[number] for number in self._order]
        self._live: list[int] | None = None  # the next one not yet missed, at or below each place
        self.missed: dict[int, Read] = {}  # what was missed, and the last read that missed it
        self._last_shown: dict[int, float] = {}

    @cached_property
    def _excuses(self) -> Excuses:
        return Excuses(self._session, self._bounds, self._order)

    def search(self) -> None:
        """Find what was missed; from the last read back, so that the last one decides."""
        ordered = sorted(self._session.reads, key=_get_start, reverse=True)
        for read, before in zip_longest(ordered, ordered[1:]):
            for place in self._find_missing(read, before):
                self.miss(self._order[place], read)
                self._retire(place)
        for number, read in self._bounds.overlooked.items():
            if not read.risen:
                self.missed.setdefault(number, read)

    def miss(self, number: int, read: Read) -> None:
        """Note that the read had to show the message and did not."""
        self.missed[number] = read

    def _find_missing(self, read: Read, before: Read | None) -> list[int]:
        if self.missed:
            return self._find_absent(read, self._find_floor(read))
        if not self._is_complete(read):
            return self._find_absent(read, self._find_floor(read)) or self._find_unexplained(read)
        return self._find_vanished(read, before) if before and self._session.removals else []

    def _find_vanished(self, read: Read, before: Read) -> list[int]:
        """Return what another read still had after the last moment of a possible removal."""
        if not self._is_strict(read) or before.earliest <= self._removals.find_front(read):
            return []
        if before.shown <= read.shown:
            return []
        by, gone = self._bounds.by, before.shown - read.shown - before.risen
        return [self._find_place(number) for number in gone if by[number] < read.earliest]

    def _is_complete(self, read: Read) -> bool:
        """Return True if the read shows all that one and the same removal does not excuse."""
        floor, top = self._find_strict_floor(read), bisect_left(self._starts, read.earliest)
        return read.shown.issuperset(self._order[floor:top]) or not self._find_absent(read, floor)

    def _find_strict_floor(self, read: Read) -> int:
        if read.ids and read.ids[0] == FRONT:
            return 0
        if not self._is_strict(read):
            return self._find_floor(read)
        moment = self._removals.find_front(read)
        if read.ids:
            moment = min(moment, self._removals.find_latest(read, 0))
        return bisect_right(self._starts, moment)

    def _is_strict(self, read: Read) -> bool:
        """Return True if the read shows exactly where the front of the log was."""
        if not read.whole or read.risen or self._session.repeated:
            return False
        return read.row >= 0 or (read.trusted and not read.ids)

    def _find_floor(self, read: Read) -> int:
        floor = self._excuses.count_excused(read) if read.whole else len(self._order)
        return min(floor, bisect_right(self._starts, self._find_oldest(read)))

    def _find_oldest(self, read: Read) -> float:
        """Return a moment: what was added after it came after something that is still there."""
        if read.risen:
            steady = (number for number in read.ids if number not in read.risen)
            return min((self._bounds.by[number] for number in steady), default=inf)
        return self._removals.find_latest(read, 0) if read.ids else inf

    def _find_absent(self, read: Read, floor: int) -> list[int]:
        """Return the places in the order of what was there in time, and is not shown."""
        shown, by, order, absent = read.shown, self._bounds.by, self._order, []
        place = self._find_at_or_below(bisect_left(self._starts, read.earliest) - 1)
        while place >= floor:
            number = order[place]
            if number not in shown and by[number] < read.earliest:
                absent.append(place)
            place = self._find_at_or_below(place - 1)
        return absent

    def _find_unexplained(self, read: Read) -> list[int]:
        """Return the youngest that the read lacks, if each may have been removed, but not all."""
        there = sum(late < read.earliest for late in self._bounds.by[1:])
        lacking = min(self._excuses.count_left(read), there) - len(read.shown)
        return self._find_absent(read, self._find_strict_floor(read))[: max(1, int(lacking))]

    def _retire(self, place: int) -> None:
        if self._live is None:
            self._live = list(range(-1, len(self._order)))
        self._live[place + 1] = place - 1

    def _find_at_or_below(self, place: int) -> int:
        """Return the next place down that is not retired; shorten the way there for the next."""
        live = self._live
        if live is None or place < 0:
            return place
        found = place
        while found >= 0 and live[found + 1] != found:
            found = live[found + 1]
        while place > found:
            live[place + 1], place = found, live[place + 1]
        return found

    def _note_shown(self) -> None:
        """Note when the missed messages were shown for the last time."""
        missed = set(self.missed)
        for read in self._session.reads:
            for number in read.shown & missed:
                before = self._last_shown.get(number, -inf)
                self._last_shown[number] = max(before, read.call.start)

    def is_lost(self, number: int) -> bool:
        """Return True if no read shows the message again after it was missed."""
        return self._last_shown.get(number, -inf) < self.missed[number].call.start

    def list_findings(self) -> Iterator[Finding]:
        """Yield the first few reads that missed something, with all that each of them missed."""
        if self.missed:
            self._note_shown()
        for kind in ("lost", "stale"):
            wanted = {x for x in self.missed if self.is_lost(x) == (kind == "lost")}
            for _ in range(PER_KIND):
                if wanted:
                    read, missing = self._find_first_to_miss(wanted, kind)
                    wanted.difference_update(missing)
                    yield self._report(kind, missing, read)

    def _find_first_to_miss(self, wanted: set[int], kind: str) -> tuple[Read, list[int]]:
        eldest = min(wanted, key=lambda number: (self._bounds.by[number], number))
        after = self._last_shown.get(eldest, -inf) if kind == "lost" else -inf
        candidates = [read for read in self._session.reads if read.call.start >= after]
        for read in sorted(candidates, key=_get_start):
            if self.find_lacking(read, [eldest]):
                return read, sorted(self.find_lacking(read, wanted))
        return self.missed[eldest], [eldest]

    def find_lacking(self, read: Read, wanted: Collection[int]) -> list[int]:
        """Return those of the messages that the read had to show and does not."""
        floor, by = self._find_floor(read), self._bounds.by
        absent = (number for number in wanted if number not in read.shown)
        due = (number for number in absent if by[number] < read.earliest)
        return [number for number in due if self._find_place(number) >= floor]

    def _find_place(self, number: int) -> int:
        first = bisect_left(self._starts, self._bounds.since[number])
        return self._order.index(number, first)

    def _report(self, kind: str, missing: list[int], read: Read) -> Finding:
        session, contents = self._session, self._session.get_contents(missing)
        proof = [
            session.get_add(missing[0]),
            *self._find_witnesses(kind, missing[0], read),
            read.call,
        ]
        known = "acknowledged" if _is_over(proof[0], read) else "read"
        later = "a later read"
        if self._bounds.by[missing[0]] >= read.call.start:
            later = "a read that returns a later message"
        again = "; one after that does" if kind == "stale" else ""
        text = (
            f"{join_names(contents)} {inflect(contents, 'was')} {known}, "
            f"but {later} does not return {inflect(contents, 'it')}{again}"
        )
        return Finding(kind, session.name, text, sort_distinct(proof), contents)

    def _find_witnesses(self, kind: str, number: int, read: Read) -> Iterator[Call]:
        """Yield the calls without which the finding could not be understood."""
        add = self._session.get_add(number)
        shows = [each.call for each in self._session.reads if number in each.shown]
        if not _is_over(add, read):
            yield from sorted(shows, key=lambda call: call.end)[:1]
        if kind == "stale":
            again = [call for call in shows if call.start >= read.call.start]
            yield from sorted(again, key=lambda call: call.start)[:1]
        youngest = max(read.ids, default=FRONT)
        if self._bounds.by[number] >= read.call.start and youngest != FRONT:
            yield self._session.get_add(youngest)


def _is_over(add: Call, read: Read) -> bool:
    """Return True if the add was acknowledged before the read looked."""
    return add.outcome == "ok" and add.end < read.earliest


def _get_start(read: Read) -> float:
    return read.call.start

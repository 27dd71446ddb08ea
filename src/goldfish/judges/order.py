"""The judge of torn and reordered: batches in pieces, and messages in the wrong order."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice, pairwise

from goldfish.history import Call
from goldfish.judges.findings import Finding, join_names, sort_distinct
from goldfish.judges.presence import Presence
from goldfish.judges.removals import Removals
from goldfish.judges.sessions import FRONT, Read, Session
from goldfish.judges.strands import Clash, Strands, find_seams


class Order:
    """The judge of the order in which a session's messages are shown.

    What is missing anyway explains a part of a batch, and neighbours that changed: nothing is said
    about those.
    """

    def __init__(
        self, session: Session, strands: Strands, removals: Removals, presence: Presence
    ) -> None:
        self._session = session
        self._strands = strands
        self._bounds = removals.bounds
        self._removals = removals
        self._presence = presence
        self._known = set(presence.missed).union(*(read.risen for read in session.reads))

    def find_torn(self, clashes: Iterable[Clash]) -> Iterator[Finding]:
        """Yield batches of which reads show a part, or other messages in between."""
        known = chain.from_iterable(self._strands.seams.values())
        others = (seam for clash in clashes for seam in find_seams(self._session, clash.read.ids))
        for left, right in chain(known, others):
            yield from self._judge_seam(left, right)
        for read in self._session.reads:
            if read.trusted and read.ids:
                yield from self._judge_edges(read)

    def _judge_seam(self, left: int, right: int) -> Iterator[Finding]:
        broken = right if self._session.closes[left] else left
        batch = self._session.get_batch(broken)
        if self._is_explained([*batch, left, right]):
            return
        self._known.update(batch)
        read = self._find_showing(left, right)
        inside = [number for number in read.ids if number in batch]
        if inside != sorted(inside):
            yield self._report_batch(
                "reordered", batch, read, "but a read returns them in another order"
            )
        elif len(inside) < len(batch):
            yield self._report_part(batch, read)
        else:
            yield self._report_batch(
                "torn", batch, read, "but a read returns other messages between them"
            )

    def _judge_edges(self, read: Read) -> Iterator[Finding]:
        """Yield a batch that is cut off where the read ends, or where it begins."""
        first, last = read.ids[0], read.ids[-1]
        cut = []
        if not self._session.closes[last]:
            cut.append(last)
        if not self._session.opens[first] and read.whole:
            cut += [] if self._removals.may_have_cut(read) else [first]
        for number in cut:
            batch = self._session.get_batch(number)
            if not self._is_explained(batch):
                self._known.update(batch)
                yield self._report_part(batch, read)

    def _report_part(self, batch: list[int], read: Read) -> Finding:
        shown = [number for number in batch if number in read.shown]
        but = f"but a read returns only {join_names(self._session.get_contents(shown))}"
        return self._report_batch("torn", batch, read, but)

    def _is_explained(self, numbers: Iterable[int]) -> bool:
        return not self._known.isdisjoint(numbers)

    def _find_showing(self, left: int, right: int) -> Read:
        """Return the first read that shows the two next to each other."""
        candidates = (read for read in self._session.reads if right in read.shown)
        return next(read for read in candidates if (left, right) in pairwise(read.ids))

    def note_holes(self, clashes: Iterable[Clash]) -> None:
        """Note what a read lacks between two that it shows, where others show the neighbour.

        The front has not passed it, since the one before it is still there: it is not removed.
        """
        for clash in clashes:
            read, other = clash.read, self._find_other_neighbours(clash)
            if self._is_explained((clash.left, clash.right, *other)):
                continue
            for number in set(other) - read.shown - {FRONT}:
                if self._bounds.by[number] < read.earliest:
                    self._presence.miss(number, read)
                    self._known.add(number)

    def find_disagreements(self, clashes: Iterable[Clash]) -> Iterator[Finding]:
        """Yield reads that show other neighbours than the rest do."""
        for clash in clashes:
            pair = clash.left, clash.right
            other = self._find_other_neighbours(clash)
            if self._is_explained(pair + other):
                continue
            reads = [self._find_showing(*other)] if other else self._find_circle(clash)
            others = (
                f"another returns {self._describe_pair(other)}" if other else "others contradict it"
            )
            calls = [clash.read.call, *(read.call for read in reads)]
            numbers = list(dict.fromkeys(pair + other))
            text = f"one read returns {self._describe_pair(pair)}, {others}"
            yield self._report("reordered", numbers, calls, text)

    def _find_other_neighbours(self, clash: Clash) -> tuple[int, ...]:
        """Return the neighbours in a strand that the clashing ones contradict."""
        row, place = self._strands.find_row(clash.left)
        if place + 1 < len(row):
            return row[place], row[place + 1]
        row, place = self._strands.find_row(clash.right)
        return (row[place - 1], row[place]) if place else ()

    def _find_circle(self, clash: Clash) -> list[Read]:
        """Return the first read of either message: reads that together close a circle."""
        reads = [read for read in self._session.reads if read is not clash.read]
        left = [read for read in reads if clash.left in read.shown]
        right = [read for read in reads if clash.right in read.shown]
        return left[:1] + right[:1]

    def _describe_pair(self, pair: tuple[int, ...]) -> str:
        names = self._session.get_contents(number for number in pair if number != FRONT)
        return (
            f"{join_names(names)} first"
            if pair[0] == FRONT
            else join_names(names).replace(", ", " then ")
        )

    def find_contradictions(self) -> Iterator[Finding]:
        """Yield what is wrong in rows that no order in time explains."""
        for row, (lower, upper) in self._bounds.broken.items():
            numbers = self._strands.rows[row]
            inverted = self._find_inversion(numbers)
            for early, late in inverted or _find_contradiction(lower, upper):
                read = None if inverted else self._find_read(row, early, lower[early])
                yield from self._blame(row, numbers[early], numbers[late], read)

    def _blame(self, row: int, first: int, then: int, read: Read | None) -> Iterator[Finding]:
        """Blame the read if it missed the second message, or else the order of the two."""
        if self._is_explained([first, then, *(read.risen if read else ())]):
            return
        if read is not None:
            self._presence.miss(then, read)
            self._known.add(then)
        else:
            yield self._report_inverted(row, first, then)

    def _find_inversion(self, numbers: list[int]) -> list[tuple[int, int]]:
        """Return the places of two messages, the second acknowledged before the first was added."""
        starts, ends = self._session.starts, self._session.ends
        return _find_contradiction([starts[x] for x in numbers], [ends[x] for x in numbers])

    def _find_read(self, row: int, place: int, start: float) -> Read | None:
        """Return the read that began at this moment and ended at this place of the row."""
        for read in self._bounds.get_reads(row):
            if read.high == place and read.call.start == start:
                return read
        return None

    def _report_inverted(self, row: int, first: int, then: int) -> Finding:
        reads = self._bounds.get_reads(row)
        both = [read for read in reads if first in read.shown and then in read.shown][:1]
        showing = both or [read for read in reads if first in read.shown or then in read.shown]
        calls: list[Call] = [self._session.get_add(then), *(read.call for read in showing)]
        early, late = (join_names(self._session.get_contents([number])) for number in (then, first))
        text = f"{early} was there before {late} was added, but is returned after it"
        return self._report("reordered", [first, then], calls, text)

    def _report_batch(self, kind: str, batch: list[int], read: Read, but: str) -> Finding:
        text = f"{join_names(self._session.get_contents(batch))} were added as one batch, {but}"
        return self._report(kind, batch, [read.call], text)

    def _report(self, kind: str, numbers: list[int], calls: list[Call], text: str) -> Finding:
        real = [number for number in numbers if number != FRONT]
        proof = sort_distinct([self._session.get_add(real[0]), *calls])
        return Finding(kind, self._session.name, text, proof, self._session.get_contents(real))


def _find_contradiction(lower: list[float], upper: list[float]) -> list[tuple[int, int]]:
    """Return the places of the highest lower bound and of the lowest upper bound below it."""
    by = list(accumulate(reversed(upper), min))[::-1]
    passed = (place for place, early in enumerate(accumulate(lower, max)) if early > by[place])
    return [
        (
            max(range(place + 1), key=lower.__getitem__),
            min(range(place, len(upper)), key=upper.__getitem__),
        )
        for place in islice(passed, 1)
    ]

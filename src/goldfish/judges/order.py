"""What reads show in pieces or in the wrong order: torn, reordered."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice, pairwise

from goldfish.history import Call
from goldfish.judges.findings import Finding, distinct, named
from goldfish.judges.presence import Presence
from goldfish.judges.removals import Removals
from goldfish.judges.sessions import FRONT, Read, Session
from goldfish.judges.strands import Clash, Strands, seams


class Order:
    """Judges the order in which a session's messages are shown.

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

    def torn(self, clashes: Iterable[Clash]) -> Iterator[Finding]:
        """Batches of which reads show a part, or that others came in between."""
        known = chain.from_iterable(self._strands.seams.values())
        others = (seam for clash in clashes for seam in seams(self._session, clash.read.ids))
        for left, right in chain(known, others):
            yield from self._seam(left, right)
        for read in self._session.reads:
            if read.trusted and read.ids:
                yield from self._cut(read)

    def _seam(self, left: int, right: int) -> Iterator[Finding]:
        broken = right if self._session.closes[left] else left
        batch = self._session.batch(broken)
        if self._explained([*batch, left, right]):
            return
        self._known.update(batch)
        read = self._showing(left, right)
        inside = [number for number in read.ids if number in batch]
        if inside != sorted(inside):
            yield self._of_batch(
                "reordered", batch, read, "but a read returns them in another order"
            )
        elif len(inside) < len(batch):
            yield self._part(batch, read)
        else:
            yield self._of_batch(
                "torn", batch, read, "but a read returns other messages between them"
            )

    def _cut(self, read: Read) -> Iterator[Finding]:
        """A batch that is cut off where the read ends, or where it begins."""
        first, last = read.ids[0], read.ids[-1]
        cut = []
        if not self._session.closes[last]:
            cut.append(last)
        if not self._session.opens[first] and read.whole:
            cut += [] if self._removals.may_have_cut(read) else [first]
        for number in cut:
            batch = self._session.batch(number)
            if not self._explained(batch):
                self._known.update(batch)
                yield self._part(batch, read)

    def _part(self, batch: list[int], read: Read) -> Finding:
        shown = [number for number in batch if number in read.shown]
        but = f"but a read returns only {named(self._session.texts(shown))}"
        return self._of_batch("torn", batch, read, but)

    def _explained(self, numbers: Iterable[int]) -> bool:
        return not self._known.isdisjoint(numbers)

    def _showing(self, left: int, right: int) -> Read:
        """The first read that shows the two next to each other."""
        candidates = (read for read in self._session.reads if right in read.shown)
        return next(read for read in candidates if (left, right) in pairwise(read.ids))

    def holes(self, clashes: Iterable[Clash]) -> None:
        """Note what a read lacks between two that it shows, where others show the neighbour.

        The front has not passed it, since the one before it is still there: it is not removed.
        """
        for clash in clashes:
            read, other = clash.read, self._other_neighbours(clash)
            if self._explained((clash.left, clash.right, *other)):
                continue
            for number in set(other) - read.shown - {FRONT}:
                if self._bounds.by[number] < read.earliest:
                    self._presence.miss(number, read)
                    self._known.add(number)

    def disagreements(self, clashes: Iterable[Clash]) -> Iterator[Finding]:
        """Reads that show other neighbours than the rest do."""
        for clash in clashes:
            pair = clash.left, clash.right
            other = self._other_neighbours(clash)
            if self._explained(pair + other):
                continue
            reads = [self._showing(*other)] if other else self._circle(clash)
            others = f"another returns {self._told(other)}" if other else "others contradict it"
            calls = [clash.read.call, *(read.call for read in reads)]
            numbers = list(dict.fromkeys(pair + other))
            text = f"one read returns {self._told(pair)}, {others}"
            yield self._finding("reordered", numbers, calls, text)

    def _other_neighbours(self, clash: Clash) -> tuple[int, ...]:
        """The neighbours in a strand that the clashing ones contradict."""
        row, place = self._strands.around(clash.left)
        if place + 1 < len(row):
            return row[place], row[place + 1]
        row, place = self._strands.around(clash.right)
        return (row[place - 1], row[place]) if place else ()

    def _circle(self, clash: Clash) -> list[Read]:
        """The first read of either message: reads that together close a circle."""
        reads = [read for read in self._session.reads if read is not clash.read]
        left = [read for read in reads if clash.left in read.shown]
        right = [read for read in reads if clash.right in read.shown]
        return left[:1] + right[:1]

    def _told(self, pair: tuple[int, ...]) -> str:
        names = self._session.texts(number for number in pair if number != FRONT)
        return f"{named(names)} first" if pair[0] == FRONT else named(names).replace(", ", " then ")

    def contradictions(self) -> Iterator[Finding]:
        """Rows that no order in time explains: a read missed the rest, or a later add is first."""
        for row, (lower, upper) in self._bounds.broken.items():
            numbers = self._strands.rows[row]
            inverted = self._inversion(numbers)
            for early, late in inverted or _contradiction(lower, upper):
                read = None if inverted else self._looking(row, early, lower[early])
                yield from self._blamed(row, numbers[early], numbers[late], read)

    def _blamed(self, row: int, first: int, then: int, read: Read | None) -> Iterator[Finding]:
        """What follows if the second cannot have been added after the first, or after the read."""
        if self._explained([first, then, *(read.risen if read else ())]):
            return
        if read is not None:
            self._presence.miss(then, read)
            self._known.add(then)
        else:
            yield self._inverted(row, first, then)

    def _inversion(self, numbers: list[int]) -> list[tuple[int, int]]:
        """The places of two messages of which the later one was acknowledged before the other."""
        starts, ends = self._session.starts, self._session.ends
        return _contradiction([starts[x] for x in numbers], [ends[x] for x in numbers])

    def _looking(self, row: int, place: int, start: float) -> Read | None:
        """The read that began at this moment and ended at this place of the row."""
        for read in self._bounds.reads_of(row):
            if read.high == place and read.call.start == start:
                return read
        return None

    def _inverted(self, row: int, first: int, then: int) -> Finding:
        reads = self._bounds.reads_of(row)
        both = [read for read in reads if first in read.shown and then in read.shown][:1]
        showing = both or [read for read in reads if first in read.shown or then in read.shown]
        calls: list[Call] = [self._session.add_call(then), *(read.call for read in showing)]
        early, late = (named(self._session.texts([number])) for number in (then, first))
        text = f"{early} was there before {late} was added, but is returned after it"
        return self._finding("reordered", [first, then], calls, text)

    def _of_batch(self, kind: str, batch: list[int], read: Read, but: str) -> Finding:
        text = f"{named(self._session.texts(batch))} were added as one batch, {but}"
        return self._finding(kind, batch, [read.call], text)

    def _finding(self, kind: str, numbers: list[int], calls: list[Call], text: str) -> Finding:
        real = [number for number in numbers if number != FRONT]
        proof = distinct([self._session.add_call(real[0]), *calls])
        return Finding(kind, self._session.name, text, proof, self._session.texts(real))


def _contradiction(lower: list[float], upper: list[float]) -> list[tuple[int, int]]:
    """The places of the highest lower bound and of the lowest upper bound that it passes."""
    by = list(accumulate(reversed(upper), min))[::-1]
    passed = (place for place, early in enumerate(accumulate(lower, max)) if early > by[place])
    return [
        (
            max(range(place + 1), key=lower.__getitem__),
            min(range(place, len(upper)), key=upper.__getitem__),
        )
        for place in islice(passed, 1)
    ]

"""Strands: runs of messages that reads showed next to each other, hence neighbours in the log.

Every read is a contiguous window of the one order that a session has. So each message has one
neighbour on either side, whoever reads, and windows that overlap make one longer strand.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from goldfish.judges.sessions import FRONT, Read, Session


class Clash(NamedTuple):
    """A read that shows ``left`` right before ``right``, which other reads contradict."""

    read: Read
    left: int
    right: int


class Strands:
    """The strands of one session; places count from a base that may move below zero."""

    def __init__(self, size: int) -> None:
        self.rows: list[list[int]] = []
        self.row_of = [-1] * size
        self.seams: dict[int, list[tuple[int, int]]] = {}  # by row, where it has any
        self._at = [0] * size
        self._base: list[int] = []

    def get_index(self, number: int) -> int:
        """Return where the message is in its row."""
        return self._at[number] - self._base[self.row_of[number]]

    def find_row(self, number: int) -> tuple[list[int], int]:
        """Return the row of the message and its place there; a row of its own if it is in none."""
        row_of = self.row_of[number]
        return (self.rows[row_of], self.get_index(number)) if row_of >= 0 else ([number], 0)

    def lay_down(self, ids: list[int]) -> tuple[int, int] | None:
        """Lay the window down; if it does not fit, return the two neighbours that clash."""
        row_of = self.row_of[ids[0]]
        if row_of < 0:
            clash = self._lay_beginning(ids)
            if clash:
                return clash
            row_of = self.row_of[ids[0]]
        low = self.get_index(ids[0])
        there = self.rows[row_of][low : low + len(ids)]
        if there == ids:
            return None
        size = len(there)
        if there != ids[:size]:
            differs = next(place for place in range(size) if there[place] != ids[place])
            return ids[differs - 1], ids[differs]
        return self._lay_rest(row_of, ids, size)

    def _lay_beginning(self, ids: list[int]) -> tuple[int, int] | None:
        """Lay down what comes before the first message that is known already."""
        known = self._find_known(ids, 0)
        if known == len(ids):
            self._append(self._new_row(), ids)
            return None
        if self.get_index(ids[known]):
            return ids[known - 1], ids[known]
        self._prepend(self.row_of[ids[known]], ids[:known])
        return None

    def _lay_rest(self, row_of: int, ids: list[int], size: int) -> tuple[int, int] | None:
        """Lay down what comes after the end of the row."""
        known = self._find_known(ids, size)
        if known < len(ids):
            other = self.row_of[ids[known]]
            if other == row_of or self.get_index(ids[known]):
                return ids[known - 1], ids[known]
            clash = self.lay_down(ids[known:])
            if clash:
                return clash
        self._append(row_of, ids[size:known])
        if known < len(ids):
            self._join(row_of, self.row_of[ids[known]])
        return None

    def _find_known(self, ids: list[int], begin: int) -> int:
        row_of = self.row_of
        for place in range(begin, len(ids)):
            if row_of[ids[place]] >= 0:
                return place
        return len(ids)

    def _new_row(self) -> int:
        self.rows.append([])
        self._base.append(0)
        return len(self.rows) - 1

    def _append(self, row_of: int, ids: list[int]) -> None:
        row = self.rows[row_of]
        self._set_places(row_of, ids, self._base[row_of] + len(row))
        row += ids

    def _prepend(self, row_of: int, ids: list[int]) -> None:
        self._base[row_of] -= len(ids)
        self._set_places(row_of, ids, self._base[row_of])
        self.rows[row_of][:0] = ids

    def _set_places(self, row_of: int, ids: list[int], place: int) -> None:
        for number in ids:
            self.row_of[number] = row_of
            self._at[number] = place
            place += 1

    def _join(self, left: int, right: int) -> None:
        # The shorter one moves, so that no message moves often.
        if len(self.rows[left]) < len(self.rows[right]):
            moved, self.rows[left] = self.rows[left], []
            self._prepend(right, moved)
        else:
            moved, self.rows[right] = self.rows[right], []
            self._append(left, moved)


def find_seams(session: Session, row: list[int]) -> Iterator[tuple[int, int]]:
    """Yield neighbours that cannot be: a batch is not over, or one does not begin."""
    opens, closes = session.opens, session.closes
    for left, right in pairwise(row):
        if right != left + 1 and not (closes[left] and opens[right]):
            yield left, right


def braid(session: Session) -> tuple[Strands, list[Clash]]:
    """Return the strands that the trusted reads make, and the reads that do not fit."""
    strands = Strands(len(session.contents))
    fitting: list[Read] = []
    clashes: list[Clash] = []
    for read in session.reads:
        if read.trusted and read.ids:
            clash = strands.lay_down(read.ids)
            if clash:
                clashes.append(Clash(read, *clash))
            else:
                fitting.append(read)
    for read in fitting:  # only now: joining moves rows
        read.row = strands.row_of[read.ids[0]]
        read.low = strands.get_index(read.ids[0])
        read.high = read.low + len(read.ids)
        read.low += read.ids[0] == FRONT  # which is no message
    for row, numbers in enumerate(strands.rows):
        found = list(find_seams(session, numbers))
        if found:
            strands.seams[row] = found
    return strands, clashes

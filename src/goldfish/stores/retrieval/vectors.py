"""The vectors of texts that a process has read, and how close they are to a question's."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.retrieval.arrays import Column

Rows = NDArray[np.float32]
Slots = NDArray[np.intp]
MOST = 8192  # vectors that are kept of a user or session


def cosines(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how close each row is to the vector, to the last bit the same wherever a row lies.

    A product of matrices rounds a row by its neighbours and by how many threads there are, so two
    processes that hold the same rows in other places would disagree. (Beyond 8,192 dimensions,
    numpy's buffer, so does this one.)
    """
    close: NDArray[np.float32] = np.einsum("ij,j->i", vectors, vector)
    return close


def refuse_damaged(stored: Iterable[bytes], size: int) -> None:
    """Raise if any of these is not a number of vectors of this size."""
    if any(len(each) % size for each in stored):
        raise MemoryStoreBackendError("a stored vector is damaged: run reembed()")


class KeptVectors:
    """The vectors of some texts by the slots of these: several for a long one.

    ``stored`` is the numpy type in which the backend keeps them.
    """

    def __init__(self, dimensions: int, stored: str = "<f4") -> None:
        self._dimensions = dimensions
        self._stored = np.dtype(stored)
        self._rows = Column(np.float32, self._dimensions)
        self._owners = Column(np.int32)
        self._known = Column(np.bool_)  # by slot, as far as it goes

    @property
    def size(self) -> int:
        """The bytes that it takes, roughly."""
        return len(self._owners) * (4 * self._dimensions + 4)

    def lacks(self, slots: Slots, many: int) -> NDArray[np.bool_]:
        """Return for each of the slots whether its vectors are not here; there are so many."""
        if len(self._known) < many:
            self._known.extend(np.zeros(many - len(self._known), np.bool_))
        lacking: NDArray[np.bool_] = ~self._known.values[slots]
        return lacking

    def make_room(self, slots: Slots) -> None:
        """Leave out all but those of these slots, if there are too many."""
        if len(self._owners) <= MOST:
            return
        wanted = np.zeros(len(self._known), np.bool_)
        wanted[slots[slots < len(wanted)]] = True
        kept = wanted[self._owners.values]
        self._rows.keep(kept)
        self._owners.keep(kept)
        self._known.values[~wanted] = False

    def add(self, slots: Slots, stored: Sequence[bytes], many: int) -> None:
        """Keep the vectors of these slots; raise if any are not of this length."""
        size = self._stored.itemsize * self._dimensions
        refuse_damaged(stored, size)
        sizes = np.array([len(each) for each in stored])
        rows = np.frombuffer(b"".join(stored), self._stored).astype(np.float32, copy=False)
        rows = rows.reshape(-1, self._dimensions)
        self.lacks(slots, many)  # which knows so many slots from now on
        self._rows.extend(rows)
        self._owners.extend(np.repeat(slots, sizes // size))
        self._known.values[slots] = True

    def closeness(self, *asked: Rows, among: Slots, many: int) -> Rows:
        """Return the cosine of the closest vector of each of these slots to any that is asked.

        It is 0 for what is not close to any, and for all others of so many slots.
        """
        close = np.zeros(many, np.float32)
        wanted = np.zeros(many, np.bool_)
        wanted[among] = True
        chosen = np.flatnonzero(wanted[self._owners.values])
        owners, rows = self._owners.values, self._rows.values
        if len(chosen) < len(owners):
            owners, rows = owners[chosen], rows[chosen]
        for vector in asked if len(owners) else ():
            np.maximum.at(close, owners, cosines(rows, vector))
        return close

    def of(self, slot: int) -> list[Rows]:
        """Return the vectors of one text."""
        return [self._rows.values[row] for row in np.flatnonzero(self._owners.values == slot)]

    def renumber(self, new_slots: NDArray[np.int32]) -> None:
        """Give each slot its new number, and leave out those below 0."""
        owners = new_slots[self._owners.values]
        known = self._known.values
        self._rows.keep(owners >= 0)
        self._owners = Column(np.int32)
        self._owners.extend(owners[owners >= 0])
        self._known.keep((new_slots >= 0)[: len(known)])

"""The vectors of facts that a process has read, by their slots."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.facts.backend import VECTORS
from goldfish.stores.retrieval.arrays import Column
from goldfish.stores.retrieval.vectors import cosines

Rows = NDArray[np.float32]
Slots = NDArray[np.intp]
MOST = 8192  # vectors that are kept of a user


class KeptVectors:
    """The vectors of some facts: several for a long text."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._begin_anew()

    def _begin_anew(self) -> None:
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

    def add(self, slots: Slots, stored: Sequence[bytes], many: int) -> None:
        """Keep the vectors of these slots; raise if any are not of this length.

        If there are too many, all others are left out.
        """
        sizes = np.array([len(each) for each in stored])
        if (sizes % (4 * self._dimensions)).any():
            raise MemoryStoreBackendError("a stored vector is damaged: run reembed()")
        rows = np.frombuffer(b"".join(stored), VECTORS).astype(np.float32, copy=False)
        rows = rows.reshape(-1, self._dimensions)
        if len(self._owners) + len(rows) > max(MOST, len(rows)):
            self._begin_anew()
        self.lacks(slots, many)  # which makes room for them
        self._rows.extend(rows)
        self._owners.extend(np.repeat(slots, sizes // (4 * self._dimensions)))
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
        """Return the vectors of one fact."""
        return [self._rows.values[row] for row in np.flatnonzero(self._owners.values == slot)]

    def renumber(self, new_slots: NDArray[np.int32]) -> None:
        """Give each slot its new number, and leave out those below 0."""
        owners = new_slots[self._owners.values]
        known = self._known.values
        self._rows.keep(owners >= 0)
        self._owners = Column(np.int32)
        self._owners.extend(owners[owners >= 0])
        self._known.keep((new_slots >= 0)[: len(known)])

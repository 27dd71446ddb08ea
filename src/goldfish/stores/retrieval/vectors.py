"""The vectors of texts, and how close they are to a question's."""

import numpy as np
from numpy.typing import NDArray

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.retrieval.arrays import Column


def cosines(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how close each row is to the vector, to the last bit the same wherever a row lies.

    A product of matrices rounds a row by its neighbours and by how many threads there are, so two
    processes that hold the same rows in other places would disagree. (Beyond 8,192 dimensions,
    numpy's buffer, so does this one.)
    """
    close: NDArray[np.float32] = np.einsum("ij,j->i", vectors, vector)
    return close


class Vectors:
    """The vectors of texts by the slots of these: several for a long text, none for an empty one.

    ``stored`` is the numpy type in which the backend keeps them.
    """

    def __init__(self, dimensions: int, stored: str) -> None:
        self.dimensions = dimensions
        self._stored = np.dtype(stored)
        self._rows = Column(np.float32, dimensions)
        self._owners = Column(np.int32)  # the slot of each row
        self._one_each = True  # then the owners are just the slots in order

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def owners(self) -> NDArray[np.int32]:
        """The slot that each vector belongs to."""
        return self._owners.values

    def read(self, stored: bytes) -> NDArray[np.float32]:
        """Return stored vectors as an array; raise if they are not of this length."""
        if not self.dimensions:
            return np.empty((0, 0), np.float32)
        if len(stored) % (self._stored.itemsize * self.dimensions):
            raise MemoryStoreBackendError("a stored vector is damaged: run reembed()")
        rows = np.frombuffer(stored, self._stored).astype(np.float32, copy=False)
        return rows.reshape(-1, self.dimensions)

    def append(self, slot: int, rows: NDArray[np.float32]) -> None:
        """Add the vectors of the text in the next slot."""
        if self.dimensions:
            self._rows.extend(rows)
            self._one_each = self._one_each and len(rows) == 1
            self._owners.extend(np.full(len(rows), slot, np.int32))

    def of(self, slot: int) -> list[NDArray[np.float32]]:
        """Return the vectors of one text."""
        return [self._rows.values[row] for row in np.flatnonzero(self.owners == slot)]

    def closeness(self, *asked: NDArray[np.float32], slots: int) -> NDArray[np.float32]:
        """Return the cosine of the closest vector of each text to any that is asked, or 0."""
        close = np.zeros(slots, np.float32)
        for vector in asked if len(self) else ():
            found = cosines(self._rows.values, vector)
            if self._one_each:
                np.maximum(close, found, out=close)
            else:
                np.maximum.at(close, self.owners, found)
        return close

    def renumber(self, new_slots: NDArray[np.int32]) -> None:
        """Give each slot its new number, and leave out those below 0."""
        owners = new_slots[self.owners]
        self._rows.keep(owners >= 0)
        self._owners = Column(np.int32)
        self._owners.extend(owners[owners >= 0])

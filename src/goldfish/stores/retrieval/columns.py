"""What is known of all facts of a user, or messages of a session, as columns that grow.

Each has a slot; words, names and codes know the slots that they belong to.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval import marks
from goldfish.stores.retrieval.arrays import Column
from goldfish.stores.retrieval.codes import Asked, Words, count_ones, width_of
from goldfish.stores.retrieval.marks import Parts

NewSlots = NDArray[np.int32]


class Found(NamedTuple):
    """The slots in which a word occurs, and how often in each."""

    slots: NDArray[np.int32]
    counts: NDArray[np.float32]


class Hashes:
    """The hashes of words, or names, of all texts, one after the other."""

    def __init__(self) -> None:
        self._values = Column(np.uint64)
        self._owners = Column(np.int32)
        self._counts = Column(np.uint16)
        self._distinct: frozenset[int] | None = None

    @property
    def size(self) -> int:
        """The bytes that it takes, roughly."""
        return len(self._values) * 16

    def __contains__(self, value: int) -> bool:
        """Whether any text has it, or had it."""
        if self._distinct is None:
            self._distinct = frozenset(np.unique(self._values.values).tolist())
        return value in self._distinct

    def find(self, value: int) -> Found:
        """Return where it occurs."""
        places = np.flatnonzero(self._values.values == np.uint64(value))
        counts = self._counts.values[places].astype(np.float32)
        return Found(self._owners.values[places], counts)

    def extend(self, first: int, parts: Parts, counts: NDArray[np.uint16] | None = None) -> None:
        """Add those of texts that lie in the slots from ``first`` on."""
        many = len(parts.values)
        self._values.extend(parts.values)
        self._owners.extend(parts.owners + np.int32(first) if first else parts.owners)
        self._counts.extend(np.ones(many, np.uint16) if counts is None else counts)
        self._distinct = None

    def renumber(self, new_slots: NewSlots) -> None:
        """Give each slot its new number, and leave out those below 0."""
        owners = new_slots[self._owners.values]
        for column in (self._values, self._counts):
            column.keep(owners >= 0)
        self._owners = Column(np.int32)
        self._owners.extend(owners[owners >= 0])
        self._distinct = None


class Codes:
    """The codes of all vectors, one column for each 64 dimensions."""

    def __init__(self, dimensions: int) -> None:
        self._columns = [Column(np.uint64) for _ in range(width_of(dimensions))]
        self._factors = Column(np.float32)
        self._ones = Column(np.float32)
        self._owners = Column(np.int32)
        self._one_each = True  # then the owners are just the slots in order

    @property
    def size(self) -> int:
        """The bytes that it takes, roughly."""
        return len(self._owners) * (8 * len(self._columns) + 12)

    @property
    def columns(self) -> list[Words]:
        """The codes."""
        return [column.values for column in self._columns]

    @property
    def owners(self) -> NDArray[np.int32]:
        """The slot of each."""
        return self._owners.values

    def guess(self, vector: NDArray[np.float32], slots: int) -> NDArray[np.float32]:
        """Return for each slot how close its closest vector may be, or 0."""
        close = np.zeros(slots, np.float32)
        if len(self._owners):
            found = Asked(vector).guess(self.columns, self._ones.values, self._factors.values)
            if self._one_each:
                np.maximum(close, found, out=close)
            else:
                np.maximum.at(close, self.owners, found)
        return close

    def extend(self, first: int, codes: marks.Codes, texts: int) -> None:
        """Add those of so many texts that lie in the slots from ``first`` on."""
        if not self._columns:
            return
        for column, values in zip(self._columns, codes.columns, strict=True):
            column.extend(values)
        self._factors.extend(codes.factors.astype(np.float32))
        self._ones.extend(count_ones(codes.columns))
        self._owners.extend(codes.owners + np.int32(first))
        in_order = len(codes.owners) == texts and bool((codes.owners == np.arange(texts)).all())
        self._one_each = self._one_each and in_order

    def renumber(self, new_slots: NewSlots) -> None:
        """Give each slot its new number, and leave out those below 0."""
        owners = new_slots[self.owners]
        for column in (*self._columns, self._factors, self._ones):
            column.keep(owners >= 0)
        self._owners = Column(np.int32)
        self._owners.extend(owners[owners >= 0])

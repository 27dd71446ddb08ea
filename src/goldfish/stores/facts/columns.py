"""What is known of all facts of a user, as columns that grow: a slot for each fact."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.facts import marks
from goldfish.stores.facts.codes import Asked, Words, count_ones, width_of
from goldfish.stores.facts.marks import Columns, Parts
from goldfish.stores.retrieval.arrays import Column
from goldfish.stores.retrieval.scores import FEW_WORDS

NewSlots = NDArray[np.int32]


class Slots:
    """Which fact is in which slot, and what is one value for each."""

    def __init__(self) -> None:
        self._seqs = Column(np.int64)
        self._said_at = Column(np.int64)
        self._lengths = Column(np.float32)
        self._alive = Column(np.bool_)
        self._moments = Column(np.float64)
        self._substance = Column(np.float32)
        self._slot_of: dict[int, int] | None = None  # made when it is first needed
        self._order: NDArray[np.intp] | None = None  # the slots by the numbers of their facts
        self._years: list[int] | None = None
        self.living = 0

    def __len__(self) -> int:
        return len(self._seqs)

    @property
    def size(self) -> int:
        """The bytes that it takes, roughly."""
        return len(self) * (41 if self._slot_of is None else 141)

    @property
    def seqs(self) -> NDArray[np.int64]:
        """The number of each fact."""
        return self._seqs.values

    @property
    def said_at(self) -> NDArray[np.int64]:
        """The number at which each was worded."""
        return self._said_at.values

    @property
    def lengths(self) -> NDArray[np.float32]:
        """How many words each has."""
        return self._lengths.values

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Whether it is still there, and still says so."""
        return self._alive.values

    @property
    def moments(self) -> NDArray[np.float64]:
        """The time that it is of, or NaN."""
        return self._moments.values

    @property
    def substance(self) -> NDArray[np.float32]:
        """What says much, and does not ask, is likelier to be an answer."""
        return self._substance.values

    @property
    def years(self) -> list[int]:
        """The years that living facts are of, in UTC, also before year 1 or after 9999."""
        if self._years is None:
            moments = self.moments[self.alive]
            seconds = np.floor(moments[np.isfinite(moments)]).astype("datetime64[s]")
            years = np.unique(seconds.astype("datetime64[Y]").astype(np.int64))
            self._years = [1970 + int(year) for year in years]
        return self._years

    def average_length(self) -> float:
        """Return how many words a living fact has on average."""
        total = float(self.lengths.sum(where=self.alive, dtype=np.float64))
        return total / max(1, self.living) or 1.0

    def find(self, seq: int) -> int | None:
        """Return the slot of a living fact."""
        if self._slot_of is None:
            living = np.flatnonzero(self.alive)
            pairs = zip(self.seqs[living].tolist(), living.tolist(), strict=True)
            self._slot_of = dict(pairs)
        return self._slot_of.get(seq)

    def find_all(self, seqs: Sequence[int]) -> NDArray[np.intp]:
        """Return the slots of facts, below 0 for those that there are not."""
        if self._slot_of is not None or len(seqs) < 2:
            found = (self.find(seq) for seq in seqs)
            return np.array([-1 if slot is None else slot for slot in found], np.intp)
        if self._order is None:
            living = np.flatnonzero(self.alive)
            self._order = living[np.argsort(self.seqs[living], kind="stable")]
        if not len(self._order):
            return np.full(len(seqs), -1, np.intp)
        ordered = self.seqs[self._order]
        places = np.minimum(np.searchsorted(ordered, seqs), len(ordered) - 1)
        return np.where(ordered[places] == seqs, self._order[places], -1)

    def list_living(self) -> list[int]:
        """Return the numbers of all living facts."""
        living: list[int] = self.seqs[self.alive].tolist()
        return living

    def extend(self, columns: Columns) -> None:
        """Add facts, or what they say now."""
        first = len(self)
        if first:
            for slot, seq in enumerate(columns.seqs.tolist(), first):
                self.drop(seq)
                assert self._slot_of is not None
                self._slot_of[seq] = slot
        lengths = columns.lengths.astype(np.float32)
        self._seqs.extend(columns.seqs)
        self._said_at.extend(columns.said_at)
        self._lengths.extend(lengths)
        self._alive.extend(np.ones(len(lengths), np.bool_))
        self._moments.extend(columns.moments)
        # As a double first, as one fact at a time would be.
        tells = columns.lengths / (columns.lengths + FEW_WORDS)
        self._substance.extend(tells * np.where(columns.asks, 0.5, 1.0))
        self.living += len(lengths)
        self._years = self._order = None

    def drop(self, seq: int) -> None:
        """Leave out a fact."""
        slot = self.find(seq)
        if slot is not None and self._slot_of is not None:
            del self._slot_of[seq]
            self.alive[slot] = False
            self.living -= 1
            self._years = self._order = None

    def move_together(self) -> NewSlots:
        """Give the living the first slots, in the order in which they lie; return the new slots."""
        alive = self.alive.copy()
        new_slots = np.where(alive, np.cumsum(alive) - 1, -1).astype(np.int32)
        for column in (
            self._seqs,
            self._said_at,
            self._lengths,
            self._moments,
            self._substance,
            self._alive,
        ):
            column.keep(alive)
        self._slot_of = self._order = None
        return new_slots


class Found(NamedTuple):
    """The slots in which a word occurs, and how often in each."""

    slots: NDArray[np.int32]
    counts: NDArray[np.float32]


class Hashes:
    """The hashes of words, or names, of all facts, one after the other."""

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
        """Whether any fact has it, or had it."""
        if self._distinct is None:
            self._distinct = frozenset(np.unique(self._values.values).tolist())
        return value in self._distinct

    def find(self, value: int) -> Found:
        """Return where it occurs."""
        places = np.flatnonzero(self._values.values == np.uint64(value))
        counts = self._counts.values[places].astype(np.float32)
        return Found(self._owners.values[places], counts)

    def extend(self, first: int, parts: Parts, counts: NDArray[np.uint16] | None = None) -> None:
        """Add those of facts that lie in the slots from ``first`` on."""
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

    def extend(self, first: int, codes: marks.Codes, facts: int) -> None:
        """Add those of so many facts that lie in the slots from ``first`` on."""
        if not self._columns:
            return
        for column, values in zip(self._columns, codes.columns, strict=True):
            column.extend(values)
        self._factors.extend(codes.factors.astype(np.float32))
        self._ones.extend(count_ones(codes.columns))
        self._owners.extend(codes.owners + np.int32(first))
        in_order = len(codes.owners) == facts and bool((codes.owners == np.arange(facts)).all())
        self._one_each = self._one_each and in_order

    def renumber(self, new_slots: NewSlots) -> None:
        """Give each slot its new number, and leave out those below 0."""
        owners = new_slots[self.owners]
        for column in (*self._columns, self._factors, self._ones):
            column.keep(owners >= 0)
        self._owners = Column(np.int32)
        self._owners.extend(owners[owners >= 0])

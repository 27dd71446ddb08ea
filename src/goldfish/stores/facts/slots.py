"""Which fact of a user is in which slot, and what is one value for each."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval.arrays import Column
from goldfish.stores.retrieval.columns import NewSlots
from goldfish.stores.retrieval.marks import ASKS, Columns
from goldfish.stores.retrieval.scores import FEW_WORDS


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
        else:
            self._slot_of = None  # somebody may have looked for a fact when there was none
        lengths = columns.lengths.astype(np.float32)
        self._seqs.extend(columns.seqs)
        self._said_at.extend(columns.said_at)
        self._lengths.extend(lengths)
        self._alive.extend(np.ones(len(lengths), np.bool_))
        self._moments.extend(columns.moments)
        # As a double first, as one fact at a time would be.
        tells = columns.lengths / (columns.lengths + FEW_WORDS)
        self._substance.extend(tells * np.where(columns.flags & ASKS, 0.5, 1.0))
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

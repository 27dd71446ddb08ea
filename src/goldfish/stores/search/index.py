"""What a process knows of one session: the words, speakers, times and codes of its messages."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval.arrays import Column
from goldfish.stores.retrieval.columns import Codes, Hashes
from goldfish.stores.retrieval.index import ProcessIndex
from goldfish.stores.retrieval.marks import ASKS, TELLS_WHEN, Columns, hash_label
from goldfish.stores.retrieval.vectors import KeptVectors
from goldfish.stores.search.backend import VECTORS, Known

EMPTY = 12_000  # bytes that a session takes without any message
FOOTPRINT = 30  # bytes that a message takes beside its words, names, codes and vectors
PAUSE = 3600.0  # seconds of silence after which another conversation begins

Slots = NDArray[np.intp]


class SessionIndex(ProcessIndex[Known]):
    """The messages of one session in order, as far as this process knows them."""

    subject = "session"

    def __init__(self, session_id: str, dimensions: int) -> None:
        self.session_id = session_id
        self.dimensions = dimensions
        super().__init__(Known())

    def begin_anew(self) -> None:
        """Forget all messages."""
        self.words = Hashes()
        self.speakers = Hashes()
        self.codes = Codes(self.dimensions)
        self.vectors = KeptVectors(self.dimensions, VECTORS)
        self.years: set[int] = set()
        self.places = Column(np.int64)
        self.lengths = Column(np.float32)  # in words
        self.asks = Column(np.bool_)  # whether the message is a question
        self.tells_when = Column(np.bool_)
        self.moments = Column(np.float64)
        self.episodes = Column(np.int32)  # the conversation between two pauses that it belongs to
        self.starts = Column(np.int64)  # the first message of each conversation

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: object) -> bool:
        """Whether anybody of this name speaks."""
        return isinstance(name, tuple) and hash_label(name) in self.speakers

    @property
    def size(self) -> int:
        """The bytes that all this takes, roughly."""
        parts = (self.words, self.speakers, self.codes, self.vectors)
        return EMPTY + FOOTPRINT * len(self) + sum(part.size for part in parts)

    def add(self, columns: Columns) -> None:
        """Take in the next messages."""
        first = len(self)
        self.words.extend(first, columns.words, columns.counts)
        self.speakers.extend(first, columns.labels)
        self.codes.extend(first, columns.codes, len(columns.seqs))
        self.years.update(np.unique(columns.years).tolist())
        self._add_episodes(columns.moments)
        self.moments.extend(columns.moments)
        self.lengths.extend(columns.lengths.astype(np.float32))
        self.asks.extend((columns.flags & ASKS) > 0)
        self.tells_when.extend((columns.flags & TELLS_WHEN) > 0)
        self.places.extend(columns.seqs)

    def learn(self, vectors: Mapping[int, bytes]) -> None:
        """Keep the vectors of messages by their places; raise if one is damaged."""
        slots = np.searchsorted(self.places.values, np.fromiter(vectors, np.int64, len(vectors)))
        lacking = self.vectors.lacks(slots, len(self))
        stored = [each for each, lacks in zip(vectors.values(), lacking, strict=True) if lacks]
        if stored:
            self.vectors.add(slots[lacking], stored, len(self))

    def list_unlearnt(self, slots: Slots) -> list[int]:
        """Return the places of the messages in these slots whose vectors are to be learnt."""
        self.vectors.make_room(slots)
        lacking = slots[self.vectors.lacks(slots, len(self))]
        places: list[int] = self.places.values[lacking].tolist()
        return places

    def _add_episodes(self, moments: NDArray[np.float64]) -> None:
        """Note which conversations the next messages belong to."""
        known = self.moments.values[-1:]
        gaps = np.diff(np.concatenate([known, moments]))
        begins = np.concatenate([np.ones(1 - len(known), np.bool_), gaps > PAUSE])
        count = len(self.starts)
        self.starts.extend(len(self.moments) + np.flatnonzero(begins))
        self.episodes.extend((count - 1 + np.cumsum(begins)).astype(np.int32))

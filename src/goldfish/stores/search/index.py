"""What a process knows of one session: the words, speakers, times and vectors of its messages."""

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval.arrays import Column, Postings
from goldfish.stores.retrieval.index import ProcessIndex
from goldfish.stores.retrieval.names import Label
from goldfish.stores.retrieval.vectors import Vectors
from goldfish.stores.search.backend import VECTORS, Known, Row
from goldfish.stores.search.traits import Traits

EMPTY = 12_000  # bytes that a session takes without any message
FOOTPRINT = 1500  # bytes that a message takes in this process beside its text and vectors, roughly
PAUSE = 3600.0  # seconds of silence after which another conversation begins


class SessionIndex(ProcessIndex[Known]):
    """The messages of one session in order, as far as this process knows them."""

    subject = "session"

    def __init__(self, session_id: str, dimensions: int) -> None:
        self.session_id = session_id
        self.dimensions = dimensions
        super().__init__(Known())

    def begin_anew(self) -> None:
        """Forget all messages."""
        self.bodies: list[str] = []
        self.ids: set[str] = set()
        self.postings: defaultdict[str, Postings] = defaultdict(Postings)
        self.speakers: defaultdict[Label, Postings] = defaultdict(Postings)
        self.years: set[int] = set()
        self.vectors = Vectors(self.dimensions, VECTORS)
        self.lengths = Column(np.float32)  # in words
        self.asks = Column(np.bool_)  # whether the message is a question
        self.tells_when = Column(np.bool_)
        self.moments = Column(np.float64)
        self.episodes = Column(np.int32)  # the conversation between two pauses that it belongs to
        self.starts: list[int] = []  # the first message of each conversation
        self.size = EMPTY

    def __len__(self) -> int:
        return len(self.bodies)

    def add(self, row: Row, traits: Traits, vectors: NDArray[np.float32]) -> None:
        """Take in the next message."""
        number = len(self.bodies)
        self.bodies.append(row.body)
        self.ids.add(row.id)
        for word, count in Counter(traits.words).items():
            self.postings[word].append(number, count)
        for name in traits.names:
            self.speakers[name].append(number)
        self.vectors.append(number, vectors)
        self._add_episode(traits.moment)
        self.moments.append(traits.moment)
        self.years.add(traits.year)
        self.lengths.append(len(traits.words))
        self.asks.append(traits.asks)
        self.tells_when.append(traits.tells_when)
        self.size += FOOTPRINT + len(row.body) + vectors.nbytes

    def _add_episode(self, moment: float) -> None:
        """Note which conversation the next message belongs to."""
        last = self.moments.values[-1:]
        if not len(last) or moment - float(last[0]) > PAUSE:
            self.starts.append(len(self.moments))
        self.episodes.append(len(self.starts) - 1)

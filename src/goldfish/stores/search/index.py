"""What a process knows of one session: the words, speakers, times and vectors of its messages."""

import threading
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.retrieval.arrays import Column, Postings
from goldfish.stores.retrieval.people import Name
from goldfish.stores.search.backend import Known, Row
from goldfish.stores.search.traits import Traits

EMPTY = 12_000  # bytes that a session takes without any message
FOOTPRINT = 1500  # bytes that a message takes in this process beside its text and vectors, roughly
PAUSE = 3600.0  # seconds of silence after which another conversation begins
STORED = "<f2"  # half the room, and no difference to any ranking


class SessionIndex:
    """The messages of one session in order, as far as this process knows them.

    Hold ``lock`` to read or write it. What can fail is read before anything is added; should adding
    break off all the same, ``lose`` it: half of a session would look like all of it.
    """

    def __init__(self, session_id: str, dimensions: int) -> None:
        self.session_id = session_id
        self.dimensions = dimensions
        self.lock = threading.Lock()
        self.known = Known()
        self.lost = False
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget all messages."""
        self.bodies: list[str] = []
        self.ids: set[str] = set()
        self.postings: defaultdict[str, Postings] = defaultdict(Postings)
        self.speakers: defaultdict[Name, Postings] = defaultdict(Postings)
        self.years: set[int] = set()
        self.vectors = Column(np.float32, self.dimensions)
        self.owners = Column(np.int32)  # the message that each vector belongs to
        self._lengths = Column(np.float32)
        self._asks = Column(np.bool_)
        self._tells_when = Column(np.bool_)
        self._moments = Column(np.float64)
        self._episodes = Column(np.int32)
        self.starts: list[int] = []  # the first message of each conversation
        self.size = EMPTY

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def lengths(self) -> NDArray[np.float32]:
        """How many words each message has."""
        return self._lengths.values

    @property
    def asks(self) -> NDArray[np.bool_]:
        """Which messages are questions."""
        return self._asks.values

    @property
    def tells_when(self) -> NDArray[np.bool_]:
        """Which messages have words that tell a time."""
        return self._tells_when.values

    @property
    def moments(self) -> NDArray[np.float64]:
        """When each message was made."""
        return self._moments.values

    @property
    def episodes(self) -> NDArray[np.int32]:
        """The number of the conversation, between two long pauses, that each belongs to."""
        return self._episodes.values

    @property
    def exists(self) -> bool:
        """Whether the backend has anything of the session."""
        return self.known != Known()

    def lose(self) -> None:
        """Forget all, and tell those who are at work with it."""
        self.lost = True
        self.known = Known()
        self.begin_anew()

    def refuse_lost(self) -> None:
        """Refuse to go on if what was known is not known any more."""
        if self.lost:
            raise MemoryStoreBackendError(
                "what this process knew of the session was lost while it was brought up to date: "
                "repeat the call"
            )

    def read(self, vectors: bytes) -> NDArray[np.float32]:
        """Stored vectors as an array; an error if they are not of this length."""
        if not self.dimensions:
            return np.empty((0, 0), np.float32)
        if len(vectors) % (2 * self.dimensions):
            raise MemoryStoreBackendError("a stored vector is damaged: run reembed()")
        return np.frombuffer(vectors, STORED).astype(np.float32).reshape(-1, self.dimensions)

    def add(self, row: Row, saying: Traits, vectors: NDArray[np.float32]) -> None:
        """Take in the next message."""
        number = len(self.bodies)
        self.bodies.append(row.body)
        self.ids.add(row.id)
        for word, count in Counter(saying.words).items():
            self.postings[word].append(number, count)
        for name in saying.names:
            self.speakers[name].append(number)
        if self.dimensions:
            self.vectors.extend(vectors)
            self.owners.extend(np.full(len(vectors), number, np.int32))
        self._begin_or_continue(saying.moment)
        self._moments.append(saying.moment)
        self.years.add(saying.year)
        self._lengths.append(len(saying.words))
        self._asks.append(saying.asks)
        self._tells_when.append(saying.tells_when)
        self.size += FOOTPRINT + len(row.body) + vectors.nbytes

    def _begin_or_continue(self, moment: float) -> None:
        """Say which conversation the next message belongs to."""
        last = self._moments.values[-1:]
        if not len(last) or moment - float(last[0]) > PAUSE:
            self.starts.append(len(self._moments))
        self._episodes.append(len(self.starts) - 1)


def stored(vectors: Sequence[NDArray[np.float32]] | NDArray[np.float32]) -> bytes:
    """Vectors as they are stored, one after the other."""
    return np.asarray(vectors, np.float32).astype(STORED).tobytes()

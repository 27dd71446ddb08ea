"""What searches need of a backend, and the values that go to it and come back.

What a message is found by (its ``marks``, see ``retrieval/marks.py``) is written in the same step
as the message, so a process that knows nothing of a session reads no texts and no vectors, but for
those that decide and those it returns. What was written by a store that does not search, or by an
older goldfish, and what a rollback brought back, has no marks; then ``marked`` is False, and the
next who searches makes them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from goldfish.stores.retrieval.blocks import NO_MARKS, Marks

VECTORS = "<f2"  # the numpy type of stored vectors: half the room, and the same ranking
STEP = 1000  # messages that get their marks at once


class Known(NamedTuple):
    """How much of a session is known: all up to ``newest``, unless its ``epoch`` has changed.

    The backend changes the epoch whenever something that could be found is gone, or came back.
    """

    epoch: str = ""
    newest: int = -1


class Reading(NamedTuple):
    """What a session holds ``since``, in order, and what is ``known`` with it.

    In the marks the number of a message is its place; a later message has a higher one.
    """

    session_id: str
    since: Known
    known: Known
    marks: Marks
    marked: bool = True


class Readings(NamedTuple):
    """What several sessions hold, and the models of all vectors that are stored."""

    models: frozenset[str]
    readings: Sequence[Reading]


class Embedded(NamedTuple):
    """What the messages of a batch are found by.

    Without an embedder there is no model, and no vectors.
    """

    model: str
    vectors: Sequence[bytes]
    marks: Sequence[bytes]


class Row(NamedTuple):
    """A message without marks; ``vectors`` is None if it has not been embedded."""

    place: int
    body: str
    vectors: bytes | None


class Unmarked(NamedTuple):
    """Messages of a session without marks, in order, and the epoch in which they are there."""

    epoch: str
    rows: Sequence[Row]


class Places(NamedTuple):
    """Some messages of a session, as it was in an epoch, or as it is now."""

    epoch: str | None
    places: Sequence[int]


class SearchBackend(Protocol):
    """A backend that keeps what was said, and what it is found by."""

    async def read(self, wanted: Mapping[str, Known]) -> Readings:
        """Return what these sessions hold beyond what is known; nothing for unknown ones."""

    async def vectors(self, wanted: Mapping[str, Places]) -> dict[str, dict[int, bytes]]:
        """Return the vectors of messages by place; nothing of a session of another epoch."""

    async def bodies(self, wanted: Mapping[str, Places]) -> dict[str, dict[int, str]]:
        """Return messages by place; nothing of a session of another epoch."""

    async def unmarked(self, session_id: str, after: int) -> Unmarked:
        """Return the first messages beyond a place without marks, ``STEP`` at most."""

    async def mark(
        self, session_id: str, epoch: str, places: Sequence[int], embedded: Embedded
    ) -> None:
        """Store what these messages are found by, unless the session's epoch has changed.

        Vectors that are there stay; marks are replaced.
        """

    async def forget_vectors(self) -> int:
        """Remove vectors and marks of all messages, and the name of the model.

        Return how many had vectors.
        """


def reading_of_nothing(session_id: str) -> Reading:
    """Return what is known of a session that there is not."""
    return Reading(session_id, Known(), Known(), NO_MARKS)

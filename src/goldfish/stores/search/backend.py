"""What searches need of a backend, and the values that go to it and come back."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

VECTORS = "<f2"  # the numpy type of stored vectors: half the room, and the same ranking


class Row(NamedTuple):
    """One message as it is stored; ``vectors`` is None if it has not been embedded.

    The ``id`` tells the messages of a session apart; it need not be that of the message.
    """

    place: int
    id: str
    body: str
    vectors: bytes | None


class Known(NamedTuple):
    """How much of a session is known: all up to ``newest``, unless its ``epoch`` has changed.

    The backend changes the epoch whenever something that could be found is gone, or came back.
    """

    epoch: str = ""
    newest: int = -1


class Reading(NamedTuple):
    """What was said in a session ``since``, and what is ``known`` with it."""

    session_id: str
    since: Known
    known: Known
    rows: Sequence[Row]


class Readings(NamedTuple):
    """What several sessions hold, and the models of all vectors that are stored."""

    models: frozenset[str]
    readings: Sequence[Reading]


class Embedded(NamedTuple):
    """The vectors of a batch, and the model that made them."""

    model: str
    vectors: Sequence[bytes]


class SearchBackend(Protocol):
    """A backend that keeps what was said, with its vectors."""

    async def read(self, wanted: Mapping[str, Known]) -> Readings:
        """Return what these sessions hold beyond what is known; nothing for unknown ones."""

    async def embed(self, reading: Reading, embedded: Embedded) -> None:
        """Store the vectors of the reading's rows, unless the session's epoch has changed."""

    async def forget_vectors(self) -> int:
        """Remove the vectors of all messages and the name of their model; return how many."""

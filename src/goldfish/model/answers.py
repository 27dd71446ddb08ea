"""What the model answers: the values of a store, with its ids and times as yet unknown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WHOLE = 1000  # a limit that no sequence reaches


@dataclass(frozen=True)
class Opening:
    """How a store was opened, as far as it matters to what it answers."""

    ttl: float | None = None
    search: bool = False
    keep_trimmed: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The options that differ from the defaults of a constructor."""
        shown = {"ttl": self.ttl, "search": self.search, "keep_trimmed": self.keep_trimmed}
        return {name: value for name, value in shown.items() if value}


@dataclass(frozen=True)
class Made:
    """An id that the store makes; the same here is the same there, and no other."""

    name: str


@dataclass(frozen=True)
class Moment:
    """A time that the store notes; the same here is the same there."""

    number: int


@dataclass(frozen=True)
class Left:
    """The seconds that a session has left: nearly all of those that were set."""

    seconds: float


@dataclass(frozen=True)
class SnapshotSeen:
    """A snapshot as it is listed."""

    id: Made
    session_id: str
    label: str | None
    created_at: Moment
    message_count: int


@dataclass(frozen=True)
class FactSeen:
    """A fact as it is answered; ``may_be_near`` are the user's other facts."""

    id: Made
    user_id: str
    text: str
    metadata: Mapping[str, Any]
    created_at: Moment
    updated_at: Moment
    times_seen: int = 1
    may_be_near: frozenset[Made] = frozenset()


@dataclass(frozen=True)
class Ranked:
    """Answers in an order of the store's own, nothing beyond ``may`` and none of it twice."""

    must: Sequence[Any]  # all of it is there if the answer is shorter than the limit
    may: Sequence[Any]
    limit: int


@dataclass(frozen=True)
class Unsure:
    """An answer that the small print leaves to the memory."""

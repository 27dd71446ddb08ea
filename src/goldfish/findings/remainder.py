"""One end of a history that is left when the other is missing, as a limit leaves it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Remainder:
    """The oldest or the newest messages of a history, of which all others are missing."""

    end: Literal["oldest", "newest"]
    count: int
    total: int


def find_remainder(expected: Sequence[Any], found: Sequence[Any]) -> Remainder | None:
    """Return which end was found of what was expected; None if it is not just an end."""
    count, total = len(found), len(expected)
    if not 0 < count < total:
        return None
    if list(found) == list(expected[:count]):
        return Remainder("oldest", count, total)
    if list(found) == list(expected[-count:]):
        return Remainder("newest", count, total)
    return None

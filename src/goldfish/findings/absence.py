"""A trait that a memory does not have, as reports tell it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Absence:
    """Something that a memory does not do, and the declaration that would hold it to that."""

    trait: str
    sentence: str
    declaration: str

"""The results of an examination of a store, as data: ``goldfish doctor`` prints them."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "damage"]


@dataclass(frozen=True)
class Observation:
    """One thing that was looked at.

    A ``warning`` is a setting under which acknowledged data can be lost; ``damage`` means that what
    is stored contradicts itself. The advice says what to do, and is empty where all is well.
    """

    subject: str  # a few words, for example "eviction policy"
    level: Level
    detail: str  # what is so, for example "maxmemory-policy is allkeys-lru"
    advice: str = ""
    repairable: bool = False  # by examine(repair=True), without losing anything
    repaired: bool = False

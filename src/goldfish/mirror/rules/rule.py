"""A thing that a provider refuses, with its words and where they are documented."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from goldfish.mirror.record import Json

Found = Iterator[dict[str, Any]]  # the parts of the provider's sentence, for each breach
THREADS = "https://github.com/"


@dataclass(frozen=True)
class Rule:
    """One thing that a provider refuses; ``find`` yields where a request does it."""

    api: str
    code: str
    wording: str
    source: str
    find: Callable[[Json], Found]
    error: str | None = None  # the provider's own code, if it has one

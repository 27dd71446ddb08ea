"""What a fact is found by, read from its text and metadata."""

from collections.abc import Mapping
from typing import Any

from goldfish.stores.facts.ranking import Traits
from goldfish.stores.retrieval.names import labels, moment, people
from goldfish.stores.retrieval.words import words

ASKING = ("?", "\uff1f", "\u061f")


def traits(text: str, metadata: Mapping[str, Any], vectors: bytes) -> Traits:
    """The words, vectors, names and time of a fact."""
    return Traits(
        words(text),
        vectors,
        labels(metadata),
        people(metadata),
        moment(metadata),
        text.rstrip().endswith(ASKING),
    )

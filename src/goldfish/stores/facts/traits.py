"""What a fact is found by: its words, and what its metadata name."""

from collections.abc import Mapping
from typing import Any

from goldfish.stores.retrieval.marks import ASKS, Traits
from goldfish.stores.retrieval.names import find_labels, find_speakers
from goldfish.stores.retrieval.times import find_moment
from goldfish.stores.retrieval.words import is_question, split_words


def read_traits(text: str, metadata: Mapping[str, Any], vectors: bytes) -> Traits:
    """Return the words, vectors, names and time of a fact."""
    return Traits(
        split_words(text),
        vectors,
        find_labels(metadata),
        find_speakers(metadata),
        find_moment(metadata),
        ASKS if is_question(text) else 0,
    )

"""The marks of facts: made of what a fact says, when it is written or when they are missing."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from goldfish.stores.facts.backend import VECTORS, Unmarked
from goldfish.stores.facts.encoding import decode_base, decode_text
from goldfish.stores.retrieval.blocks import Marked


def make_marks(text: str, metadata: Mapping[str, Any], vectors: bytes, dimensions: int) -> bytes:
    """Return what a fact is found by."""
    from goldfish.stores.facts.traits import read_traits
    from goldfish.stores.retrieval.marks import encode_marks

    return encode_marks(read_traits(text, metadata, vectors), dimensions, VECTORS)


def mark_all(rows: Sequence[Unmarked], dimensions: int) -> list[Marked]:
    """Return the marks of facts that have none."""
    # A store that uses words alone reads vectors of any model, and does not know their length.
    dimensions = dimensions or math.gcd(*(len(row.vectors) // 4 for row in rows))
    return [
        Marked(
            row.seq,
            row.said_at,
            make_marks(
                decode_text(row.said), decode_base(row.base)["metadata"], row.vectors, dimensions
            ),
        )
        for row in rows
    ]

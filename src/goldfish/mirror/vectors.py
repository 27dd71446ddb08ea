"""Embeddings for clients: all-MiniLM-L6-v2 where it is installed, else hashes of words."""

import math
from collections.abc import Sequence

from goldfish.embedding import default_embedder, why_not
from goldfish.embedding.hashed import hash_text

WIDTH = 384
# What the models of providers return if the client does not say: vector stores are made for it.
WIDTHS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "text-embedding-004": 768,
    "gemini-embedding-001": 3072,
    "nomic-embed-text": 768,
    "mxbai-embed-large": 1024,
}


def embed(texts: Sequence[str], model: str, dimensions: int | None = None) -> list[list[float]]:
    """Return one vector of length one for each text; zeros fill those that are too short."""
    width = dimensions or WIDTHS.get(model.rpartition("/")[2], WIDTH)
    if why_not() is None:
        rows: list[list[float]] = default_embedder().encode(list(texts)).tolist()
    else:
        rows = [hash_text(text, WIDTH) for text in texts]
    return [_fit(row, width) for row in rows]


def _fit(row: list[float], width: int) -> list[float]:
    if len(row) <= width:
        return row + [0.0] * (width - len(row))
    cut = row[:width]
    length = math.sqrt(sum(each * each for each in cut)) or 1.0
    return [each / length for each in cut]

"""Scores by meaning, and the best of many, in an order that never depends on chance."""

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]


def cosines(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> Scores:
    """How close each row is to the vector, to the last bit the same wherever a row lies.

    A product of matrices rounds a row by its neighbours and by how many threads there are, so two
    processes that hold the same rows in other places would disagree. (Beyond 8,192 dimensions,
    numpy's buffer, so does this one.)
    """
    close: Scores = np.einsum("ij,j->i", vectors, vector)
    return close


def best(scores: Scores, order: NDArray[np.int64], count: int | None = None) -> NDArray[np.intp]:
    """The places of the highest scores, best first; among equals the order decides."""
    places = np.flatnonzero(scores > -np.inf)
    if count is not None and 0 < count < len(places):
        least = np.partition(scores[places], len(places) - count)[len(places) - count]
        places = places[scores[places] >= least]
    ranked = places[np.lexsort((order[places], -scores[places]))]
    return ranked[:count]

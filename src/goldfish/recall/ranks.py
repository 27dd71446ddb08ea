"""The best of many scores, in an order that never depends on chance."""

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]


def best(scores: Scores, order: NDArray[np.int64], count: int | None = None) -> NDArray[np.intp]:
    """The places of the highest scores, best first; among equals the order decides."""
    places = np.flatnonzero(scores > -np.inf)
    if count is not None and 0 < count < len(places):
        least = np.partition(scores[places], len(places) - count)[len(places) - count]
        places = places[scores[places] >= least]
    ranked = places[np.lexsort((order[places], -scores[places]))]
    return ranked[:count]

"""One score from several: how well the words fit, how close the meaning is, whether it is named.

Scores are added up, not ranks: a rank says nothing about how much better the first one is.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]

DIGITS = 6  # beyond them are only the rounding errors of sums in another order


class Weights(NamedTuple):
    """How much each part counts."""

    words: float = 0.35
    meaning: float = 0.65
    named: float = 0.10


class Parts(NamedTuple):
    """The partial scores of all facts, each from 0 to 1."""

    words: Scores
    meaning: Scores
    named: Scores

    def why(self, place: int) -> dict[str, float]:
        """The partial scores of one fact."""
        return {name: round(float(part[place]), DIGITS) for name, part in self._asdict().items()}


def fused(parts: Parts, weights: Weights = Weights()) -> Scores:  # noqa: B008 - it is immutable
    """The score of each fact."""
    total = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    return np.round(total, DIGITS)


def best(scores: Scores, order: NDArray[np.int64], count: int | None = None) -> NDArray[np.intp]:
    """The places of the highest scores, best first; among equals the order decides."""
    places = np.flatnonzero(scores > -np.inf)
    if count is not None and 0 < count < len(places):
        least = np.partition(scores[places], len(places) - count)[len(places) - count]
        places = places[scores[places] >= least]
    ranked = places[np.lexsort((order[places], -scores[places]))]
    return ranked[:count]

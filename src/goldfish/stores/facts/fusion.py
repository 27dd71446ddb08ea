"""One score from several: words, meaning, what the question names, and how much a fact says.

Scores are added up, not ranks: a rank says nothing about how much better the first one is.
"""

from typing import NamedTuple

import numpy as np

from goldfish.stores.retrieval.scores import Scores

DIGITS = 6  # beyond them are only the rounding errors of sums in another order


class Parts(NamedTuple):
    """The partial scores of all facts, each from 0 to 1."""

    words: Scores
    meaning: Scores
    named: Scores
    time: Scores
    substance: Scores

    def why(self, place: int) -> dict[str, float]:
        """The partial scores of one fact."""
        named = zip(self._fields, self, strict=True)
        return {name: round(float(part[place]), DIGITS) for name, part in named}


# Round figures, chosen on conversations that are no part of goldfish; what the words and the
# meaning say outweighs the rest.
WEIGHTS = {"words": 0.45, "meaning": 0.65, "named": 0.25, "time": 0.20, "substance": 0.10}


def fused(parts: Parts) -> Scores:
    """The score of each fact, from 0 to 1."""
    total = np.zeros(len(parts.words), np.float32)
    for name, part in parts._asdict().items():
        total += np.float32(WEIGHTS[name] / sum(WEIGHTS.values())) * part
    return np.round(total, DIGITS)

"""Scores of texts, by words, meaning, names and times, and the best of many.

They are the same to the last bit in every process that knows the same texts.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval.columns import Found, Hashes
from goldfish.stores.retrieval.marks import hash_label
from goldfish.stores.retrieval.names import Label
from goldfish.stores.retrieval.times import DAY, Span

Scores = NDArray[np.float32]

K1, B = 0.9, 0.4  # of BM25: facts and messages are short, so their length says little
DAYS_AFTER = 14  # for so long people still talk about a day
FEW_WORDS = 5.0  # a text of so many words says half as much as a text can
ALL = 1024  # texts of which every vector is looked at
FEW = 256  # texts whose vectors are looked at beyond that
DIGITS = 6  # beyond them are only the rounding errors of sums in another order


def rarity(count: int, texts: int) -> float:
    """Return how much a word tells that occurs in ``count`` of so many texts: BM25's IDF."""
    return math.log(1 + (texts - count + 0.5) / (count + 0.5))


def score_words(
    words: Iterable[tuple[Found, float]],
    lengths: NDArray[np.float32],
    average_length: float,
    most: float,
) -> tuple[Scores, Scores]:
    """Return BM25, up to ``most``, and the share of the question's words that a text has.

    Each of the words comes with its share in the question; all shares together are 1.
    """
    scores = np.zeros(len(lengths), np.float32)
    coverage = np.zeros(len(lengths), np.float32)
    long = 1 - B + B * lengths / average_length
    for postings, share in words:
        slots, counts = postings.slots, postings.counts
        scores[slots] += share * most * counts / (counts + K1 * long[slots])
        coverage[slots] += share
    return scores, coverage


def score_names(size: int, labels: Hashes, names: Sequence[Label]) -> Scores:
    """Return 1 for each text that has one of the names, and 0 for the others."""
    named = np.zeros(size, np.float32)
    for name in names:
        named[labels.find(hash_label(name)).slots] = 1
    return named


def score_times(moments: NDArray[np.float64], spans: Sequence[Span]) -> Scores:
    """Return 1 for a moment within one of the spans, and less and less in the days after it."""
    near = np.zeros(len(moments), np.float32)
    for span in spans:
        days_after = np.maximum(moments - span.last, 0) / DAY
        fits = np.where(moments >= span.first, 1 - days_after / DAYS_AFTER, 0)
        near = np.maximum(near, fits.astype(np.float32))
    return near


def rank(scores: Scores, order: NDArray[np.int64], count: int | None = None) -> NDArray[np.intp]:
    """Return the places of the highest scores, best first; among equals the order decides."""
    places = np.flatnonzero(scores > -np.inf)
    if count is not None and 0 < count < len(places):
        least = np.partition(scores[places], len(places) - count)[len(places) - count]
        places = places[scores[places] >= least]
    ranked = places[np.lexsort((order[places], -scores[places]))]
    return ranked[:count]


def explain(parts: Any, place: int) -> dict[str, float]:
    """Return the partial scores of one text, by the names of the parts (a named tuple)."""
    return {name: round(float(part[place]), DIGITS) for name, part in parts._asdict().items()}

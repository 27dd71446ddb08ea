"""How well each message of a session fits a question: the weights, and what they weigh.

A message lives among its neighbours. What answers a question seldom repeats its words: they are
in the message before it, above all if that one asks; the reaction after it shares its meaning; and
a whole conversation about the matter speaks for each message in it. Everything is a score of
single messages that is passed on to others, so that one stored vector per message is enough.

The weights are round and were chosen on conversations of which each in turn was left out.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval.people import Name
from goldfish.stores.retrieval.scores import Scores, cosines
from goldfish.stores.retrieval.times import DAY, Span
from goldfish.stores.search.index import SessionIndex

K1, B = 0.9, 0.4  # of BM25: messages are short, so their length says little

WORDS, ALL_WORDS = 1.0, 0.5
WORDS_BEFORE, WORDS_ASKED_BEFORE = 0.25, 0.5
MEANING, MEANING_BEFORE, MEANING_AFTER = 2.0, 0.4, 0.8
EPISODE_WORDS, EPISODE_MEANING = 0.75, 1.5
SPEAKER, DATE, TELLS_WHEN = 0.75, 1.0, 0.4
SUBSTANCE, QUESTION = 0.8, -0.25

SPEAKING_FOR_AN_EPISODE = 3  # messages: the best of it
DAYS_AFTER = 14  # for so long people still talk about a day
FEW_WORDS = 5.0
FEW_EPISODES = 30  # up to so many are quicker one by one


class Question(NamedTuple):
    """What is asked, and how much each of its words is worth among all messages in question."""

    worth: dict[str, float]
    average_length: float
    vector: NDArray[np.float32] | None
    names: Sequence[Name]
    spans: Sequence[Span]
    asks_when: bool


class Parts(NamedTuple):
    """The partial scores of all messages of a session; their sum is the score."""

    words: Scores
    meaning: Scores
    around: Scores
    speaker: Scores
    time: Scores
    substance: Scores

    def total(self) -> Scores:
        """The score of each message."""
        total: Scores = np.sum(self, axis=0, dtype=np.float32)
        return total

    def why(self, number: int) -> dict[str, float]:
        """The partial scores of one message."""
        return {name: round(float(part[number]), 6) for name, part in self._asdict().items()}


def worth_of(word_counts: dict[str, int], messages: int) -> dict[str, float]:
    """How much each word says, given in how many of all messages it occurs."""
    return {
        word: math.log(1 + (messages - count + 0.5) / (count + 0.5))
        for word, count in word_counts.items()
        if count
    }


def parts(index: SessionIndex, question: Question) -> Parts:
    """The partial scores of every message of the session."""
    share, coverage = _words(index, question)
    meaning = _meaning(index, question.vector)
    around = _neighbours(index, share, meaning) + _episode(index, share, meaning)
    if question.vector is None:  # then what shares no word is not found at all
        found = (share > 0) | (_before(index, share) > 0)
        around[~found] = -np.inf
    return Parts(
        WORDS * share + ALL_WORDS * coverage**4,
        MEANING * meaning,
        around,
        SPEAKER * _named(index, question.names),
        _time(index, question),
        _substance(index),
    )


def _words(index: SessionIndex, question: Question) -> tuple[Scores, Scores]:
    """BM25 by what the question could get, up to 2; and the share of its words that are there."""
    score = np.zeros(len(index), np.float32)
    coverage = np.zeros(len(index), np.float32)
    total = sum(question.worth.values())
    long = 1 - B + B * index.lengths / question.average_length
    for word, worth in question.worth.items():
        if word in index.postings:
            numbers, counts = index.postings[word].slots, index.postings[word].counts
            score[numbers] += 2 * worth / total * counts / (counts + K1 * long[numbers])
            coverage[numbers] += worth / total
    return score, coverage


def _meaning(index: SessionIndex, vector: NDArray[np.float32] | None) -> Scores:
    """The cosine of the piece of each message that is closest to the question."""
    close = np.zeros(len(index), np.float32)
    if vector is not None and len(index.vectors):
        np.maximum.at(close, index.owners.values, cosines(index.vectors.values, vector))
    return close


def _neighbours(index: SessionIndex, share: Scores, meaning: Scores) -> Scores:
    """What the messages right before and after it lend to each."""
    asked = share * (WORDS_BEFORE + WORDS_ASKED_BEFORE * index.asks)
    before = _before(index, asked + MEANING_BEFORE * meaning)
    return before + _after(index, MEANING_AFTER * meaning)


def _before(index: SessionIndex, scores: Scores) -> Scores:
    """For each message the score of the one before, if it is of the same conversation."""
    shifted = np.zeros_like(scores)
    shifted[1:] = scores[:-1] * (index.episodes[1:] == index.episodes[:-1])
    return shifted


def _after(index: SessionIndex, scores: Scores) -> Scores:
    shifted = np.zeros_like(scores)
    shifted[:-1] = scores[1:] * (index.episodes[1:] == index.episodes[:-1])
    return shifted


def _episode(index: SessionIndex, share: Scores, meaning: Scores) -> Scores:
    """What the best messages of a conversation lend to all of it."""
    if not len(index):
        return share
    lent = EPISODE_WORDS * _best(share, index.starts) + EPISODE_MEANING * _best(
        meaning, index.starts
    )
    scores: Scores = lent[index.episodes].astype(np.float32)
    return scores


def _best(scores: Scores, starts: Sequence[int]) -> NDArray[np.float64]:
    """The mean of the highest scores of each stretch."""
    if len(starts) > FEW_EPISODES:
        return _best_of_many(scores, np.array(starts))
    ends = [*starts[1:], len(scores)]
    stretches = (np.sort(scores[first:end]) for first, end in zip(starts, ends, strict=True))
    return np.array([each[-SPEAKING_FOR_AN_EPISODE:].mean() for each in stretches], np.float64)


def _best_of_many(scores: Scores, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same, for all stretches at once: take the highest of each, as often as there are."""
    left = scores.astype(np.float64)
    sizes = np.diff(starts, append=len(scores))
    stretch = np.repeat(np.arange(len(starts)), sizes)
    total = np.zeros(len(starts))
    for taken in range(SPEAKING_FOR_AN_EPISODE):
        highest = np.maximum.reduceat(left, starts)
        total += np.where(sizes > taken, highest, 0)
        places = np.flatnonzero(left == highest[stretch])
        _, first = np.unique(stretch[places], return_index=True)
        left[places[first]] = -np.inf
    return total / np.minimum(sizes, SPEAKING_FOR_AN_EPISODE)


def _named(index: SessionIndex, names: Sequence[Name]) -> Scores:
    """1 for what is said by somebody whom the question names."""
    named = np.zeros(len(index), np.float32)
    for name in names:
        if name in index.speakers:
            named[index.speakers[name].slots] = 1
    return named


def _time(index: SessionIndex, question: Question) -> Scores:
    """Said on a day that the question names, or not long after; telling when, if it asks that."""
    near = np.zeros(len(index), np.float32)
    for span in question.spans:
        days_after = np.maximum(index.moments - span.last, 0) / DAY
        fits = np.maximum(1 - days_after / DAYS_AFTER, 0) * (index.moments >= span.first)
        near = np.maximum(near, fits.astype(np.float32))
    return DATE * near + TELLS_WHEN * (index.tells_when & question.asks_when)


def _substance(index: SessionIndex) -> Scores:
    """A message that says much, and does not ask, is likelier to be an answer."""
    much: Scores = index.lengths / (index.lengths + np.float32(FEW_WORDS))
    scores: Scores = SUBSTANCE * much + QUESTION * index.asks
    return scores

"""Scores of each message of a session for a question: the weights, and what they weigh.

A message lives among its neighbours. What answers a question seldom repeats its words: they are
in the message before it, above all if that one asks; the reaction after it shares its meaning; and
a whole conversation about the matter speaks for each message in it. Everything is a score of
single messages that is passed on to others, so that one stored vector per message is enough.

The weights are round and were chosen on conversations of which each in turn was left out.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval.names import Label
from goldfish.stores.retrieval.scores import (
    FEW_WORDS,
    Scores,
    rarity,
    score_names,
    score_times,
    score_words,
)
from goldfish.stores.retrieval.times import Span
from goldfish.stores.search.index import SessionIndex

WORDS, ALL_WORDS = 1.0, 0.5
WORDS_BEFORE, WORDS_ASKED_BEFORE = 0.25, 0.5
MEANING, MEANING_BEFORE, MEANING_AFTER = 2.0, 0.4, 0.8
EPISODE_WORDS, EPISODE_MEANING = 0.75, 1.5
SPEAKER, DATE, TELLS_WHEN = 0.75, 1.0, 0.4
SUBSTANCE, QUESTION = 0.8, -0.25

SPEAKING_FOR_AN_EPISODE = 3  # messages: the best of it
FEW_EPISODES = 30  # up to so many are quicker one by one


class Question(NamedTuple):
    """What is asked, and how much each of its words is worth among all messages in question."""

    worth: dict[str, float]
    average_length: float
    vector: NDArray[np.float32] | None
    names: Sequence[Label]
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
        """Return the score of each message."""
        total: Scores = np.sum(self, axis=0, dtype=np.float32)
        return total


def weigh_words(counts: Mapping[str, int], messages: int) -> dict[str, float]:
    """Return how much each word tells, given in how many of all messages it occurs."""
    return {word: rarity(count, messages) for word, count in counts.items() if count}


def score(index: SessionIndex, question: Question) -> Parts:
    """Return the partial scores of every message of the session."""
    share, coverage = _score_words(index, question)
    asked = () if question.vector is None else (question.vector,)
    meaning = index.vectors.closeness(*asked, slots=len(index))
    around = _lend_to_neighbours(index, share, meaning) + _lend_to_episode(index, share, meaning)
    if question.vector is None:  # then what shares no word is not found at all
        found = (share > 0) | (_shift_to_next(index, share) > 0)
        around[~found] = -np.inf
    return Parts(
        WORDS * share + ALL_WORDS * coverage**4,
        MEANING * meaning,
        around,
        SPEAKER * score_names(len(index), index.speakers, question.names),
        _score_time(index, question),
        _score_substance(index),
    )


def _score_words(index: SessionIndex, question: Question) -> tuple[Scores, Scores]:
    """Return BM25 by what the question could get, up to 2, and the share of its words."""
    total = sum(question.worth.values())
    shares = (
        (index.postings[word], worth / total)
        for word, worth in question.worth.items()
        if word in index.postings
    )
    return score_words(shares, index.lengths.values, question.average_length, most=2)


def _lend_to_neighbours(index: SessionIndex, share: Scores, meaning: Scores) -> Scores:
    """Return what the messages right before and after it lend to each."""
    asked = share * (WORDS_BEFORE + WORDS_ASKED_BEFORE * index.asks.values)
    before = _shift_to_next(index, asked + MEANING_BEFORE * meaning)
    return before + _shift_to_previous(index, MEANING_AFTER * meaning)


def _shift_to_next(index: SessionIndex, scores: Scores) -> Scores:
    """Give each message the score of the one before, if it is of the same conversation."""
    shifted = np.zeros_like(scores)
    shifted[1:] = scores[:-1] * (index.episodes.values[1:] == index.episodes.values[:-1])
    return shifted


def _shift_to_previous(index: SessionIndex, scores: Scores) -> Scores:
    shifted = np.zeros_like(scores)
    shifted[:-1] = scores[1:] * (index.episodes.values[1:] == index.episodes.values[:-1])
    return shifted


def _lend_to_episode(index: SessionIndex, share: Scores, meaning: Scores) -> Scores:
    """Return what the best messages of a conversation lend to all of it."""
    if not len(index):
        return share
    by_words, by_meaning = (_average_best(each, index.starts) for each in (share, meaning))
    lent = EPISODE_WORDS * by_words + EPISODE_MEANING * by_meaning
    scores: Scores = lent[index.episodes.values].astype(np.float32)
    return scores


def _average_best(scores: Scores, starts: Sequence[int]) -> NDArray[np.float64]:
    """Return the mean of the highest scores of each stretch."""
    if len(starts) > FEW_EPISODES:
        return _average_best_of_many(scores, np.array(starts))
    ends = [*starts[1:], len(scores)]
    stretches = (np.sort(scores[first:end]) for first, end in zip(starts, ends, strict=True))
    return np.array([each[-SPEAKING_FOR_AN_EPISODE:].mean() for each in stretches], np.float64)


def _average_best_of_many(scores: Scores, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the same, for all stretches at once: take the highest of each, several times."""
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


def _score_time(index: SessionIndex, question: Question) -> Scores:
    """Return how well the time fits that the question names, and telling when if it asks that."""
    near = score_times(index.moments.values, question.spans)
    return DATE * near + TELLS_WHEN * (index.tells_when.values & question.asks_when)


def _score_substance(index: SessionIndex) -> Scores:
    """Return more for what says much and does not ask: it is likelier to be an answer."""
    lengths: Scores = index.lengths.values
    much: Scores = lengths / (lengths + np.float32(FEW_WORDS))
    asks: NDArray[np.bool_] = index.asks.values
    scores: Scores = SUBSTANCE * much + QUESTION * asks
    return scores

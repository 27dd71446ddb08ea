"""Scores of each message of a session for a question: the weights, and what they weigh.

A message lives among its neighbours. What answers a question seldom repeats its words: they are
in the message before it, above all if that one asks; the reaction after it shares its meaning; and
a whole conversation about the matter speaks for each message in it. Everything is a score of
single messages that is passed on to others, so that one stored vector per message is enough.

Words, speakers and times are those of every message. Up to ``ALL`` messages, so is the meaning.
Beyond, codes of the vectors guess it, and vectors decide about those that are best by that guess:
their own, their neighbours' and those of the messages that speak for their conversations.

The weights are round and were chosen on conversations of which each in turn was left out.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval.columns import Found
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
from goldfish.stores.search.index import SessionIndex, Slots

WORDS, ALL_WORDS = 1.0, 0.5
WORDS_BEFORE, WORDS_ASKED_BEFORE = 0.25, 0.5
MEANING, MEANING_BEFORE, MEANING_AFTER = 2.0, 0.4, 0.8
EPISODE_WORDS, EPISODE_MEANING = 0.75, 1.5
SPEAKER, DATE, TELLS_WHEN = 0.75, 1.0, 0.4
SUBSTANCE, QUESTION = 0.8, -0.25

SPEAKING_FOR_AN_EPISODE = 3  # messages: the best of it
LIKELY_TO_SPEAK = 1 + SPEAKING_FOR_AN_EPISODE  # those that are the best of it by a guess
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


def guess_meaning(index: SessionIndex, question: Question) -> Scores:
    """Return how close in meaning each message may be, by the codes."""
    if question.vector is None:
        return np.zeros(len(index), np.float32)
    return index.codes.guess(question.vector, len(index))


def read_meaning(index: SessionIndex, question: Question, slots: Slots) -> Scores:
    """Return how close in meaning these messages are, by their vectors, and 0 for the others."""
    asked = () if question.vector is None else (question.vector,)
    return index.vectors.closeness(*asked, among=slots, many=len(index))


def find_deciding(index: SessionIndex, slots: Slots, guessed: Scores) -> Slots:
    """Return the messages whose meaning makes up the scores of these, by their slots."""
    if not len(slots):
        return slots
    wanted = np.zeros(len(index), np.bool_)
    for step in (-1, 0, 1):
        wanted[np.clip(slots + step, 0, len(index) - 1)] = True
    episodes = np.unique(index.episodes.values[slots])
    firsts = index.starts.values[episodes]
    sizes = np.append(index.starts.values, len(index))[episodes + 1] - firsts
    before = np.cumsum(sizes) - sizes
    members = np.arange(sizes.sum()) + np.repeat(firsts - before, sizes)
    order = np.lexsort((members, -guessed[members], np.repeat(episodes, sizes)))
    nth = np.arange(len(members)) - np.repeat(before, sizes)
    wanted[members[order[nth < LIKELY_TO_SPEAK]]] = True
    return np.flatnonzero(wanted)


class Scoring:
    """The partial scores of every message of a session, for any guess of what they mean.

    ``words`` tell where the session has which words of the question.
    """

    def __init__(self, index: SessionIndex, question: Question, words: Mapping[str, Found]) -> None:
        self._index = index
        self._share, coverage = _score_words(index, question, words)
        self._fixed = Parts(
            WORDS * self._share + ALL_WORDS * coverage**4,
            np.empty(0, np.float32),
            _lend_words(index, self._share),
            SPEAKER * score_names(len(index), index.speakers, question.names),
            _score_time(index, question),
            _score_substance(index),
        )
        if question.vector is None:  # then what shares no word is not found at all
            found = (self._share > 0) | (_shift_to_next(index, self._share) > 0)
            self._fixed.around[~found] = -np.inf

    def score(self, meaning: Scores) -> Parts:
        """Return all parts, given how close in meaning each message is."""
        around = self._fixed.around + _lend_meaning(self._index, meaning)
        return self._fixed._replace(meaning=MEANING * meaning, around=around)


def _score_words(
    index: SessionIndex, question: Question, words: Mapping[str, Found]
) -> tuple[Scores, Scores]:
    """Return BM25 by what the question could get, up to 2, and the share of its words."""
    total = sum(question.worth.values())
    shares = [(words[word], worth / total) for word, worth in question.worth.items()]
    return score_words(shares, index.lengths.values, question.average_length, most=2)


def _lend_words(index: SessionIndex, share: Scores) -> Scores:
    """Return what the message before it, and its conversation, lend to each by their words."""
    asks: NDArray[np.float32] = index.asks.values.astype(np.float32)
    asked: Scores = share * (WORDS_BEFORE + np.float32(WORDS_ASKED_BEFORE) * asks)
    lent = _shift_to_next(index, asked) + EPISODE_WORDS * _average_episode(index, share)
    return lent.astype(np.float32)


def _lend_meaning(index: SessionIndex, meaning: Scores) -> Scores:
    """Return what the messages around it, and its conversation, lend to each by their meaning."""
    before = _shift_to_next(index, np.float32(MEANING_BEFORE) * meaning)
    after = _shift_to_previous(index, np.float32(MEANING_AFTER) * meaning)
    lent = before + after + EPISODE_MEANING * _average_episode(index, meaning)
    return lent.astype(np.float32)


def _shift_to_next(index: SessionIndex, scores: Scores) -> Scores:
    """Give each message the score of the one before, if it is of the same conversation."""
    shifted = np.zeros_like(scores)
    shifted[1:] = scores[:-1] * (index.episodes.values[1:] == index.episodes.values[:-1])
    return shifted


def _shift_to_previous(index: SessionIndex, scores: Scores) -> Scores:
    shifted = np.zeros_like(scores)
    shifted[:-1] = scores[1:] * (index.episodes.values[1:] == index.episodes.values[:-1])
    return shifted


def _average_episode(index: SessionIndex, scores: Scores) -> Scores:
    """Return for each message how good the best of its conversation are."""
    if not scores.any():
        return np.zeros_like(scores)
    best = _average_best(scores, index.starts.values).astype(np.float32)
    average: Scores = best[index.episodes.values]
    return average


def _average_best(scores: Scores, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean of the highest scores of each stretch."""
    if len(starts) > FEW_EPISODES:
        return _average_best_of_many(scores, starts)
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

"""The words and vectors of one user's facts, and how well each fact fits a question.

Every fact is looked at, so the best are the best: there is no list of candidates to fall out of.
A fact has a slot; one that goes, or is worded anew, leaves its slot, and now and then those that
are left move together. What counts (how rare a word is, how long facts are) are the living alone,
so it does not matter in which order they came to this process.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from goldfish.embedding.blas import BLAS
from goldfish.errors import MemoryStoreBackendError
from goldfish.facts.columns import Column, Postings
from goldfish.facts.fusion import DIGITS, Parts, Scores, best, fused
from goldfish.facts.question import Label

Key = TypeVar("Key")

K1, B = 1.2, 0.75  # the usual constants of BM25


class Question(NamedTuple):
    """What is asked: words, and the vectors of the question itself and in the first person."""

    words: list[str]
    names: list[Label]
    vectors: NDArray[np.float32] | None


class Hit(NamedTuple):
    """A fact by its number, its score, and how to get the parts of that."""

    seq: int
    score: float
    why: Callable[[], dict[str, float]]


class Ranking:
    """All facts of one user, ready to be asked."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._slot_of: dict[int, int] = {}
        self._seqs = Column(np.int64)
        self._lengths = Column(np.float32)
        self._alive = Column(np.bool_)
        self._vectors = Column(np.float32, dimensions)
        self._owners = Column(np.int32)  # the slot of each vector
        self._one_each = True  # then the owners are just the slots in order
        self._words: dict[str, Postings] = {}
        self.labels: dict[Label, Postings] = {}

    def __len__(self) -> int:
        return len(self._slot_of)

    def put(self, seq: int, words: Sequence[str], labels: set[Label], vectors: bytes) -> None:
        """Take in a fact, or what it says now."""
        self.drop(seq)
        slot = self._slot_of[seq] = len(self._seqs)
        self._seqs.append(seq)
        self._lengths.append(len(words))
        self._alive.append(True)
        for word, count in Counter(words).items():
            _postings(self._words, word).append(slot, count)
        for label in labels:
            _postings(self.labels, label).append(slot)
        if self._dimensions:
            rows = self._rows(vectors)
            self._vectors.extend(rows)
            self._one_each = self._one_each and len(rows) == 1
            self._owners.extend(np.full(len(rows), slot, np.int32))

    def drop(self, seq: int) -> None:
        """Leave out a fact."""
        slot = self._slot_of.pop(seq, None)
        if slot is not None:
            self._alive.values[slot] = False
            if len(self._seqs) > 2 * len(self._slot_of) + 64:
                self._move_together()

    def hits(self, question: Question, count: int | None) -> Iterator[Hit]:
        """The best facts in order, or all of them."""
        parts = self.parts(question)
        scores = fused(parts)
        scores[~self._alive.values] = -np.inf
        seqs = self._seqs.values
        for place in best(scores, seqs, count):
            score = round(float(scores[place]), DIGITS)
            yield Hit(int(seqs[place]), score, partial(parts.why, place))

    def parts(self, question: Question) -> Parts:
        """The partial scores of every slot."""
        named = np.zeros(len(self._seqs), np.float32)
        for name in question.names:
            if name in self.labels:
                named[self.labels[name].slots] = 1.0
        return Parts(self._bm25(question.words), self._meaning(question.vectors, named), named)

    def near(self, seq: int, least: float) -> list[int]:
        """The facts whose meaning is at least so close to that of this one."""
        slot = self._slot_of.get(seq)
        if slot is None or not self._dimensions:
            return []
        close = np.zeros(len(self._seqs), np.float32)
        for row in np.flatnonzero(self._owners.values == slot):
            self._raise_to(close, self._cosines(self._vectors.values[row]))
        close[~self._alive.values] = 0
        close[slot] = 0
        return [int(each) for each in self._seqs.values[close >= least]]

    def _bm25(self, words: Sequence[str]) -> Scores:
        scores = np.zeros(len(self._seqs), np.float32)
        alive, lengths = self._alive.values, self._lengths.values
        average = float(lengths.sum(where=alive)) / max(1, len(self)) or 1.0
        for word, repeated in Counter(words).items():
            if word in self._words:
                slots, counts = self._words[word].slots, self._words[word].counts
                occurs = int(alive[slots].sum())
                rare = math.log(1 + (len(self) - occurs + 0.5) / (occurs + 0.5))
                share = counts + K1 * (1 - B + B * lengths[slots] / average)
                scores[slots] += repeated * rare * (K1 + 1) * counts / share
        scores[~alive] = 0
        highest = scores.max(initial=0.0)
        return scores / highest if highest > 0 else scores

    def _meaning(self, asked: NDArray[np.float32] | None, named: Scores) -> Scores:
        """The best cosine of each fact; what is said by whom the question names is asked as "I"."""
        close = np.zeros(len(self._seqs), np.float32)
        if asked is None or not len(self._vectors):
            return close
        cosines = self._cosines(asked[0])
        if len(asked) > 1 and named.any():
            rows = np.flatnonzero(named[self._owners.values])
            cosines[rows] = self._cosines(asked[1])[rows]
        self._raise_to(close, cosines)
        return close

    def _cosines(self, vector: NDArray[np.float32]) -> Scores:
        """How close each stored vector is. Several threads would only wait for the memory."""
        with BLAS.single():
            cosines: Scores = self._vectors.values @ vector
        return cosines

    def _raise_to(self, scores: Scores, cosines: Scores) -> None:
        """Let each fact have the best of its vectors, if that is better than what it has."""
        if self._one_each:
            np.maximum(scores, cosines, out=scores)
        else:
            np.maximum.at(scores, self._owners.values, cosines)

    def _rows(self, vectors: bytes) -> NDArray[np.float32]:
        if len(vectors) % (4 * self._dimensions):
            raise MemoryStoreBackendError("a stored vector is damaged: run reembed()")
        return np.frombuffer(vectors, "<f4").reshape(-1, self._dimensions)

    def _move_together(self) -> None:
        """Give the living the first slots, in the order in which they lie."""
        alive = self._alive.values.copy()
        new_slots = np.where(alive, np.cumsum(alive) - 1, -1).astype(np.int32)
        self._words = _renumbered(self._words, new_slots)
        self.labels = _renumbered(self.labels, new_slots)
        owners = new_slots[self._owners.values]
        self._vectors.keep(owners >= 0)
        self._owners = Column(np.int32)
        self._owners.extend(owners[owners >= 0])
        for column in (self._seqs, self._lengths, self._alive):
            column.keep(alive)
        self._slot_of = {int(seq): slot for slot, seq in enumerate(self._seqs.values)}


def _postings(postings: dict[Key, Postings], key: Key) -> Postings:
    found = postings.get(key)
    if found is None:
        found = postings[key] = Postings()
    return found


def _renumbered(postings: dict[Key, Postings], new_slots: NDArray[np.int32]) -> dict[Key, Postings]:
    return {key: each for key, each in postings.items() if each.renumber(new_slots)}

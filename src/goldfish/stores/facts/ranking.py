"""The words and vectors of one user's facts, and how well each fact fits a question.

Every fact is looked at, so the best are the best: there is no list of candidates to fall out of.
A fact has a slot; one that goes, or is worded anew, leaves its slot, and now and then those that
are left move together. What counts (how rare a word is, how long facts are, which names and years
there are) are the living alone, so it does not matter what else this process has seen, or when.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.facts.fusion import DIGITS, Parts, fused
from goldfish.stores.retrieval.arrays import Column, Postings
from goldfish.stores.retrieval.names import Label
from goldfish.stores.retrieval.scores import Scores, best, cosines
from goldfish.stores.retrieval.times import DAY, Span

Key = TypeVar("Key")

K1, B = 0.9, 0.4  # of BM25: facts are short, so their length says little
FEW_WORDS = 5.0
DAYS_AFTER = 14  # for so long people still talk about a day


class Traits(NamedTuple):
    """What a fact is found by."""

    words: Sequence[str]
    vectors: bytes
    labels: Collection[Label] = ()
    people: Collection[Label] = ()
    moment: float = math.nan
    asks: bool = False


class Question(NamedTuple):
    """What is asked."""

    words: Sequence[str]
    vector: NDArray[np.float32] | None
    names: Sequence[Label] = ()
    spans: Sequence[Span] = ()


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
        self._moments = Column(np.float64)
        self._substance = Column(np.float32)
        self._vectors = Column(np.float32, dimensions)
        self._owners = Column(np.int32)  # the slot of each vector
        self._one_each = True  # then the owners are just the slots in order
        self._words: dict[str, Postings] = {}
        self.labels: dict[Label, Postings] = {}
        self.people: dict[Label, Postings] = {}  # those of the labels that tell who is speaking
        self._years: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._slot_of)

    @property
    def years(self) -> list[int]:
        """The years that facts are of."""
        return sorted(self._years)

    def put(self, seq: int, traits: Traits) -> None:
        """Take in a fact, or what it says now."""
        rows = self.rows(traits.vectors)
        self.drop(seq)
        slot = self._slot_of[seq] = len(self._seqs)
        for word, count in Counter(traits.words).items():
            _postings(self._words, word).append(slot, count)
        for label in traits.labels:
            _postings(self.labels, label).append(slot)
        for person in traits.people:
            _postings(self.people, person).append(slot)
        if math.isfinite(traits.moment):
            self._years[_year(traits.moment)] += 1
        self._put_columns(seq, traits)
        if self._dimensions:
            self._vectors.extend(rows)
            self._one_each = self._one_each and len(rows) == 1
            self._owners.extend(np.full(len(rows), slot, np.int32))

    def _put_columns(self, seq: int, traits: Traits) -> None:
        length = len(traits.words)
        self._seqs.append(seq)
        self._lengths.append(length)
        self._alive.append(True)
        self._moments.append(traits.moment)
        # What says much, and does not ask, is likelier to be an answer.
        self._substance.append(length / (length + FEW_WORDS) * (0.5 if traits.asks else 1.0))

    def drop(self, seq: int) -> None:
        """Leave out a fact."""
        slot = self._slot_of.pop(seq, None)
        if slot is not None:
            self._alive.values[slot] = False
            self._drop_year(float(self._moments.values[slot]))
            if len(self._seqs) > 2 * len(self._slot_of) + 64:
                self._move_together()

    def rows(self, vectors: bytes) -> NDArray[np.float32]:
        """Stored vectors as an array; an error if they are not of this length."""
        if not self._dimensions:
            return np.empty((0, 0), np.float32)
        if len(vectors) % (4 * self._dimensions):
            raise MemoryStoreBackendError("a stored vector is damaged: run reembed()")
        return np.frombuffer(vectors, "<f4").reshape(-1, self._dimensions)

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
        return Parts(
            self._share_of_words(question.words),
            self._meaning(question.vector),
            self._named(question.names),
            self._time(question.spans),
            self._substance.values,
        )

    def living(self, names: Sequence[Label]) -> list[Label]:
        """Those of the names that any fact still has."""
        return [name for name in names if self._occurs(self.labels, name)]

    def speaking(self, names: Sequence[Label]) -> list[Label]:
        """Those of the names that any fact still has as the one who speaks."""
        return [name for name in names if self._occurs(self.people, name)]

    def near(self, seq: int, least: float) -> list[int]:
        """The facts whose meaning is at least so close to that of this one."""
        slot = self._slot_of.get(seq)
        if slot is None or not self._dimensions:
            return []
        close = np.zeros(len(self._seqs), np.float32)
        for row in np.flatnonzero(self._owners.values == slot):
            self._raise_to(close, cosines(self._vectors.values, self._vectors.values[row]))
        close[~self._alive.values] = 0
        close[slot] = 0
        return [int(each) for each in self._seqs.values[close >= least]]

    def _share_of_words(self, words: Sequence[str]) -> Scores:
        """How much of the question's words each fact has: 1 for all, or for some again and again.

        BM25 by what a fact of usual length with all of the words would get; but who has nearly all
        of them is not the worse for its length.
        """
        scores = np.zeros(len(self._seqs), np.float32)
        coverage = np.zeros(len(self._seqs), np.float32)
        long = 1 - B + B * self._lengths.values / self._average_length()
        known = [self._words[word] for word in dict.fromkeys(words) if word in self._words]
        occurs = [int(self._alive.values[postings.slots].sum()) for postings in known]
        known = [postings for postings, count in zip(known, occurs, strict=True) if count]
        worths = [self._worth(count) for count in occurs if count]
        for postings, worth in zip(known, worths, strict=True):
            slots, counts, share = postings.slots, postings.counts, worth / sum(worths)
            scores[slots] += share * (1 + K1) * counts / (counts + K1 * long[slots])
            coverage[slots] += share
        squared = coverage * coverage
        return np.maximum(np.minimum(scores, 1), squared * squared, dtype=np.float32)

    def _average_length(self) -> float:
        total = float(self._lengths.values.sum(where=self._alive.values, dtype=np.float64))
        return total / max(1, len(self)) or 1.0

    def _worth(self, occurs: int) -> float:
        """How much a word says: the rarer it is among the living, the more."""
        return math.log(1 + (len(self) - occurs + 0.5) / (occurs + 0.5))

    def _meaning(self, asked: NDArray[np.float32] | None) -> Scores:
        """The cosine of the best piece of each fact, if it is above 0."""
        close = np.zeros(len(self._seqs), np.float32)
        if asked is not None and len(self._vectors):
            self._raise_to(close, cosines(self._vectors.values, asked))
        return close

    def _named(self, names: Sequence[Label]) -> Scores:
        """1 where the metadata hold something that the question names."""
        named = np.zeros(len(self._seqs), np.float32)
        for name in names:
            if name in self.labels:
                named[self.labels[name].slots] = 1
        return named

    def _time(self, spans: Sequence[Span]) -> Scores:
        """1 on a day that the question names, and less and less in the days after it."""
        near = np.zeros(len(self._seqs), np.float32)
        moments = self._moments.values
        for span in spans:
            days_after = np.maximum(moments - span.last, 0) / DAY
            fits = np.where(moments >= span.first, 1 - days_after / DAYS_AFTER, 0)
            near = np.maximum(near, fits.astype(np.float32))
        return near

    def _raise_to(self, scores: Scores, cosines: Scores) -> None:
        """Let each fact have the best of its vectors, if that is better than what it has."""
        if self._one_each:
            np.maximum(scores, cosines, out=scores)
        else:
            np.maximum.at(scores, self._owners.values, cosines)

    def _occurs(self, postings: dict[Label, Postings], name: Label) -> bool:
        found = postings.get(name)
        return found is not None and bool(self._alive.values[found.slots].any())

    def _drop_year(self, moment: float) -> None:
        if math.isfinite(moment):
            year = _year(moment)
            self._years[year] -= 1
            if not self._years[year]:
                del self._years[year]

    def _move_together(self) -> None:
        """Give the living the first slots, in the order in which they lie."""
        alive = self._alive.values.copy()
        new_slots = np.where(alive, np.cumsum(alive) - 1, -1).astype(np.int32)
        self._words = _renumbered(self._words, new_slots)
        self.labels = _renumbered(self.labels, new_slots)
        self.people = _renumbered(self.people, new_slots)
        owners = new_slots[self._owners.values]
        self._vectors.keep(owners >= 0)
        self._owners = Column(np.int32)
        self._owners.extend(owners[owners >= 0])
        for column in (self._seqs, self._lengths, self._alive, self._moments, self._substance):
            column.keep(alive)
        self._slot_of = {int(seq): slot for slot, seq in enumerate(self._seqs.values)}


def _postings(postings: dict[Key, Postings], key: Key) -> Postings:
    found = postings.get(key)
    if found is None:
        found = postings[key] = Postings()
    return found


def _year(moment: float) -> int:
    """The year in UTC, also of a moment that lies before year 1 or after 9999 there."""
    seconds = np.datetime64(math.floor(moment), "s")
    return 1970 + int(seconds.astype("datetime64[Y]").astype(np.int64))


def _renumbered(postings: dict[Key, Postings], new_slots: NDArray[np.int32]) -> dict[Key, Postings]:
    return {key: each for key, each in postings.items() if each.renumber(new_slots)}

"""The words and vectors of one user's facts, and how well each fact fits a question.

Every fact is looked at, so the best are the best: there is no list of candidates to fall out of.
A fact has a slot; one that goes, or is worded anew, leaves its slot, and now and then those that
are left move together. What counts (how rare a word is, how long facts are, which names and years
there are) are the living alone, so it does not matter what else this process has seen, or when.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.facts.backend import VECTORS
from goldfish.stores.retrieval.arrays import Column, Postings
from goldfish.stores.retrieval.names import Label, find_labels, find_speakers
from goldfish.stores.retrieval.scores import (
    DIGITS,
    FEW_WORDS,
    K1,
    Scores,
    explain,
    rank,
    rarity,
    score_names,
    score_times,
    score_words,
)
from goldfish.stores.retrieval.times import Span, find_moment
from goldfish.stores.retrieval.vectors import Vectors
from goldfish.stores.retrieval.words import is_question, split_words

Key = TypeVar("Key")

# Round figures, chosen on conversations that are not part of goldfish; what the words and the
# meaning say outweighs the rest.
WEIGHTS = {"words": 0.45, "meaning": 0.65, "named": 0.25, "time": 0.20, "substance": 0.10}


class Traits(NamedTuple):
    """What a fact is found by."""

    words: Sequence[str]
    vectors: bytes
    labels: Collection[Label] = ()
    people: Collection[Label] = ()
    moment: float = math.nan
    asks: bool = False


def read_traits(text: str, metadata: Mapping[str, Any], vectors: bytes) -> Traits:
    """Return the words, vectors, names and time of a fact."""
    return Traits(
        split_words(text),
        vectors,
        find_labels(metadata),
        find_speakers(metadata),
        find_moment(metadata),
        is_question(text),
    )


class Question(NamedTuple):
    """What is asked."""

    words: Sequence[str]
    vector: NDArray[np.float32] | None
    names: Sequence[Label] = ()
    spans: Sequence[Span] = ()


class Parts(NamedTuple):
    """The partial scores of all facts, each from 0 to 1."""

    words: Scores
    meaning: Scores
    named: Scores
    time: Scores
    substance: Scores

    def total(self) -> Scores:
        """Return the score of each fact, from 0 to 1.

        Scores are added up, not ranks: a rank says nothing about how much better the first one is.
        """
        total = np.zeros(len(self.words), np.float32)
        for name, part in self._asdict().items():
            total += np.float32(WEIGHTS[name] / sum(WEIGHTS.values())) * part
        return np.round(total, DIGITS)


class Hit(NamedTuple):
    """A fact by its number, its score, and how to get the parts of that."""

    seq: int
    score: float
    why: Callable[[], dict[str, float]]


class Ranking:
    """All facts of one user, ready to be asked."""

    def __init__(self, dimensions: int) -> None:
        self._slot_of: dict[int, int] = {}
        self._seqs = Column(np.int64)
        self._lengths = Column(np.float32)
        self._alive = Column(np.bool_)
        self._moments = Column(np.float64)
        self._substance = Column(np.float32)
        self.vectors = Vectors(dimensions, VECTORS)
        self._words: defaultdict[str, Postings] = defaultdict(Postings)
        self.labels: defaultdict[Label, Postings] = defaultdict(Postings)
        self.people: defaultdict[Label, Postings] = defaultdict(Postings)  # who is speaking
        self._years: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._slot_of)

    @property
    def years(self) -> list[int]:
        """The years that facts are of."""
        return sorted(self._years)

    def put(self, seq: int, traits: Traits) -> None:
        """Take in a fact, or what it says now."""
        rows = self.vectors.read(traits.vectors)
        self.drop(seq)
        slot = self._slot_of[seq] = len(self._seqs)
        for word, count in Counter(traits.words).items():
            self._words[word].append(slot, count)
        for label in traits.labels:
            self.labels[label].append(slot)
        for person in traits.people:
            self.people[person].append(slot)
        if math.isfinite(traits.moment):
            self._years[_year(traits.moment)] += 1
        self._put_columns(seq, traits)
        self.vectors.append(slot, rows)

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

    def hits(self, question: Question, count: int | None) -> Iterator[Hit]:
        """Yield the best facts in order, or all of them."""
        parts = self._score(question)
        scores = parts.total()
        scores[~self._alive.values] = -np.inf
        seqs = self._seqs.values
        for place in rank(scores, seqs, count):
            score = round(float(scores[place]), DIGITS)
            yield Hit(int(seqs[place]), score, partial(explain, parts, place))

    def _score(self, question: Question) -> Parts:
        """Return the partial scores of every slot."""
        slots = len(self._seqs)
        asked = () if question.vector is None else (question.vector,)
        return Parts(
            self._score_words(question.words),
            self.vectors.closeness(*asked, slots=slots),
            score_names(slots, self.labels, question.names),
            score_times(self._moments.values, question.spans),
            self._substance.values,
        )

    def living(self, names: Sequence[Label]) -> list[Label]:
        """Return those of the names that any fact still has."""
        return [name for name in names if self._occurs(self.labels, name)]

    def speaking(self, names: Sequence[Label]) -> list[Label]:
        """Return those of the names that any fact still has as the one who speaks."""
        return [name for name in names if self._occurs(self.people, name)]

    def near(self, seq: int, least: float) -> list[int]:
        """Return the facts whose meaning is at least so close to that of this one."""
        slot = self._slot_of.get(seq)
        if slot is None:
            return []
        close = self.vectors.closeness(*self.vectors.of(slot), slots=len(self._seqs))
        close[~self._alive.values] = 0
        close[slot] = 0
        return [int(each) for each in self._seqs.values[close >= least]]

    def _score_words(self, words: Sequence[str]) -> Scores:
        """Return how much of the question's words each fact has.

        BM25 by what a fact of usual length with all of the words would get; but who has nearly all
        of them is not the worse for its length.
        """
        known = [self._words[word] for word in dict.fromkeys(words) if word in self._words]
        counts = [int(self._alive.values[postings.slots].sum()) for postings in known]
        worth = [(each, rarity(n, len(self))) for each, n in zip(known, counts, strict=True) if n]
        total = sum(each for _, each in worth)
        shares = [(postings, each / total) for postings, each in worth]
        lengths, average = self._lengths.values, self._average_length()
        scores, coverage = score_words(shares, lengths, average, most=1 + K1)
        squared = coverage * coverage
        return np.maximum(np.minimum(scores, 1), squared * squared, dtype=np.float32)

    def _average_length(self) -> float:
        total = float(self._lengths.values.sum(where=self._alive.values, dtype=np.float64))
        return total / max(1, len(self)) or 1.0

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
        self._words = _renumber(self._words, new_slots)
        self.labels = _renumber(self.labels, new_slots)
        self.people = _renumber(self.people, new_slots)
        self.vectors.renumber(new_slots)
        for column in (self._seqs, self._lengths, self._alive, self._moments, self._substance):
            column.keep(alive)
        self._slot_of = {int(seq): slot for slot, seq in enumerate(self._seqs.values)}


def _year(moment: float) -> int:
    """Return the year in UTC, also of a moment that lies before year 1 or after 9999 there."""
    seconds = np.datetime64(math.floor(moment), "s")
    return 1970 + int(seconds.astype("datetime64[Y]").astype(np.int64))


def _renumber(
    postings: dict[Key, Postings], new_slots: NDArray[np.int32]
) -> defaultdict[Key, Postings]:
    left = {key: each for key, each in postings.items() if each.renumber(new_slots)}
    return defaultdict(Postings, left)

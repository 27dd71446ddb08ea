"""The marks of one user's facts, and how well each fact fits a question.

Words, names and times are those of every fact, so nothing can fall out of a list of candidates by
them. Up to ``ALL`` facts, so is the meaning. Beyond, codes of the vectors guess it, and the vectors
of the ``FEW`` hundred that are best by that guess decide; those after them follow in further groups
of as many. Either way the order is a function of what is stored, and pages are parts of it.

A fact has a slot; one that goes, or is worded anew, leaves its slot, and now and then those that
are left move together. What counts (how rare a word is, how long facts are, which names and years
there are) are the living alone, so it does not matter what else this process has seen, or when.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.facts.backend import VECTORS, Vector
from goldfish.stores.facts.likeness import NEAR
from goldfish.stores.facts.slots import Slots
from goldfish.stores.retrieval.blocks import Marks
from goldfish.stores.retrieval.codes import count_differences, most_differences
from goldfish.stores.retrieval.columns import Codes, Hashes
from goldfish.stores.retrieval.marks import hash_label, hash_word, read_marks
from goldfish.stores.retrieval.names import Label
from goldfish.stores.retrieval.scores import (
    ALL,
    DIGITS,
    FEW,
    K1,
    Scores,
    explain,
    rank,
    rarity,
    score_names,
    score_times,
    score_words,
)
from goldfish.stores.retrieval.times import Span
from goldfish.stores.retrieval.vectors import MOST, KeptVectors

# Round figures, chosen on conversations that are not part of goldfish; what the words and the
# meaning say outweighs the rest.
WEIGHTS = {"words": 0.45, "meaning": 0.65, "named": 0.25, "time": 0.20, "substance": 0.10}

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]


class Question(NamedTuple):
    """What is asked."""

    words: Sequence[str]
    vector: NDArray[np.float32] | None
    names: Sequence[Label] = ()
    spans: Sequence[Span] = ()


class Parts(NamedTuple):
    """The partial scores of facts, each from 0 to 1."""

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

    def of(self, places: Places) -> "Parts":
        """Return those of these facts alone."""
        return Parts(*(part[places] for part in self))


class Hit(NamedTuple):
    """A fact as it was worded at a number, its score, and the parts of that."""

    seq: int
    said_at: int
    score: float
    why: dict[str, float]


@dataclass
class Search:
    """A question, which places in the order are asked for, and what was found out so far."""

    question: Question
    first: int
    end: int
    state: int = -1  # of the ranking at which the rest was found out
    slots: Places = field(default_factory=lambda: np.empty(0, np.intp))  # of the candidates
    parts: Parts | None = None  # their scores, without the meaning
    before: int = 0  # candidates that would come before these
    group: int = 1  # so many are ordered among each other


class Ranking:
    """All facts of one user, ready to be asked."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.state = 0  # changes with every change
        self.layout = 0  # changes when facts move to other slots
        self.slots = Slots()
        self._words = Hashes()
        self._labels = Hashes()
        self._people = Hashes()  # who is speaking
        self._codes = Codes(dimensions)
        self._vectors = KeptVectors(dimensions, VECTORS)

    def __len__(self) -> int:
        return self.slots.living

    @property
    def size(self) -> int:
        """The bytes that all this takes, roughly."""
        parts = (self.slots, self._words, self._labels, self._people, self._codes, self._vectors)
        return sum(part.size for part in parts)

    @property
    def years(self) -> list[int]:
        """The years that facts are of."""
        return self.slots.years

    def take_in(self, marks: Marks) -> None:
        """Take in facts, or what they say now."""
        columns = read_marks(marks, self.dimensions)
        self.state += 1
        first = len(self.slots)
        self.slots.extend(columns)
        self._words.extend(first, columns.words, columns.counts)
        self._labels.extend(first, columns.labels)
        self._people.extend(first, columns.people)
        self._codes.extend(first, columns.codes, len(columns.seqs))
        self._tidy()

    def drop(self, seqs: Iterable[int]) -> None:
        """Leave out facts."""
        self.state += 1
        for seq in seqs:
            self.slots.drop(seq)
        self._tidy()

    def learn(self, vectors: Sequence[Vector]) -> None:
        """Keep vectors of facts that say what they were made of; raise if one is damaged."""
        many = len(self.slots)
        slots = self.slots.find_all([each.seq for each in vectors])
        worded = np.array([each.said_at for each in vectors], np.int64)
        wanted = slots >= 0
        wanted[wanted] = self.slots.said_at[slots[wanted]] == worded[wanted]
        wanted[wanted] = self._vectors.lacks(slots[wanted], many)
        stored = [vectors[place].vectors for place in np.flatnonzero(wanted).tolist()]
        if stored:
            self._vectors.add(slots[wanted], stored, many)

    def find_missing(self, search: Search, mask: Mask | None) -> list[int]:
        """Choose the candidates; return the facts among them whose vectors are to be learnt.

        If any are, and not for the first time, some others come along, provided that there is room
        for all: so after a few questions none is missing.
        """
        if search.state != self.state:
            self._choose(search, mask)
            search.state = self.state
        if search.question.vector is None or not self.dimensions:
            return []
        missing = self.list_unlearnt(search.slots)
        if missing and self._vectors.size and len(self.slots) <= MOST:
            rest = np.setdiff1d(np.flatnonzero(self.slots.alive), search.slots)
            rest = rest[self._vectors.lacks(rest, len(self.slots))]
            missing += self.slots.seqs[rest[:FEW]].tolist()
        return missing

    def hits(self, search: Search) -> list[Hit]:
        """Return the best facts in order, once nothing is missing."""
        assert search.parts is not None, "find_missing() comes first"
        asked = () if search.question.vector is None else (search.question.vector,)
        close = self._vectors.closeness(*asked, among=search.slots, many=len(self.slots))
        parts = search.parts._replace(meaning=close[search.slots])
        scores, seqs = parts.total(), self.slots.seqs[search.slots]
        order = _rank_groups(scores, seqs, search.group)
        said_at = self.slots.said_at[search.slots]
        return [
            Hit(
                int(seqs[place]),
                int(said_at[place]),
                round(float(scores[place]), DIGITS),
                explain(parts, place),
            )
            for place in order[search.first - search.before : search.end - search.before]
        ]

    def living(self, names: Sequence[Label]) -> list[Label]:
        """Return those of the names that any fact still has."""
        return [name for name in names if self._occurs(self._labels, name)]

    def speaking(self, names: Sequence[Label]) -> list[Label]:
        """Return those of the names that any fact still has as the one who speaks."""
        return [name for name in names if self._occurs(self._people, name)]

    def __contains__(self, label: object) -> bool:
        """Whether any fact has the name, or had it."""
        return isinstance(label, tuple) and hash_label(label) in self._labels

    def find_likely(self, slot: int) -> Places:
        """Return the slots of the facts that may be near this one, and its own."""
        likely = self.slots.alive
        if len(self) > ALL:
            likely = likely & self._resembling(slot)
        return np.flatnonzero(likely)

    def near(self, slot: int, likely: Places, least: float) -> Places:
        """Return those of the likely slots that are at least so close, but for its own."""
        own = self._vectors.of(slot)
        close = self._vectors.closeness(*own, among=likely, many=len(self.slots))
        close[slot] = 0
        return np.flatnonzero(close >= least)

    def list_unlearnt(self, slots: Places) -> list[int]:
        """Return the facts in these slots whose vectors are to be learnt."""
        self._vectors.make_room(slots)
        lacking = slots[self._vectors.lacks(slots, len(self.slots))]
        seqs: list[int] = self.slots.seqs[lacking].tolist()
        return seqs

    def _resembling(self, slot: int) -> Mask:
        """Return for each slot whether the code of a vector is like one of this slot."""
        resembling = np.zeros(len(self.slots), np.bool_)
        most = most_differences(NEAR, self.dimensions)
        for place in np.flatnonzero(self._codes.owners == slot):
            alike = count_differences(self._codes.columns, int(place)) <= most
            resembling[self._codes.owners[alike]] = True
        return resembling

    def _choose(self, search: Search, mask: Mask | None) -> None:
        """Find the facts whose vectors decide which are in the places that are asked for."""
        alive = self.slots.alive if mask is None else self.slots.alive & mask
        parts = self._score(search.question)
        vector = search.question.vector if self.dimensions else None
        many, count = int(alive.sum()), search.end
        search.before, search.group = 0, max(1, many)
        if vector is not None and many <= ALL:
            search.slots = np.flatnonzero(alive)
        else:
            guessed = parts
            if vector is not None:
                guessed = parts._replace(meaning=self._codes.guess(vector, len(self.slots)))
                search.group, search.before = FEW, search.first // FEW * FEW
                count = -(-search.end // FEW) * FEW
            scores = guessed.total()
            scores[~alive] = -np.inf
            search.slots = rank(scores, self.slots.seqs, count)[search.before :]
        search.parts = parts.of(search.slots)

    def _score(self, question: Question) -> Parts:
        """Return the partial scores of every slot, but for the meaning."""
        slots = self.slots
        return Parts(
            self._score_words(question.words),
            np.zeros(len(slots), np.float32),
            score_names(len(slots), self._labels, question.names),
            score_times(slots.moments, question.spans),
            slots.substance,
        )

    def _score_words(self, words: Sequence[str]) -> Scores:
        """Return how much of the question's words each fact has.

        BM25 by what a fact of usual length with all of the words would get; but who has nearly all
        of them is not the worse for its length.
        """
        slots = self.slots
        known = [self._words.find(hash_word(word)) for word in dict.fromkeys(words)]
        counts = [int(slots.alive[found.slots].sum()) for found in known]
        worth = [(each, rarity(n, len(self))) for each, n in zip(known, counts, strict=True) if n]
        total = sum(each for _, each in worth)
        shares = [(found, each / total) for found, each in worth]
        scores, coverage = score_words(shares, slots.lengths, slots.average_length(), most=1 + K1)
        squared = coverage * coverage
        return np.maximum(np.minimum(scores, 1), squared * squared, dtype=np.float32)

    def _occurs(self, hashes: Hashes, name: Label) -> bool:
        return bool(self.slots.alive[hashes.find(hash_label(name)).slots].any())

    def _tidy(self) -> None:
        """Give the living the first slots, if most slots are empty."""
        if len(self.slots) > 2 * len(self) + 64:
            self.layout += 1
            new_slots = self.slots.move_together()
            for part in (self._words, self._labels, self._people, self._codes, self._vectors):
                part.renumber(new_slots)


def _rank_groups(scores: Scores, seqs: NDArray[np.int64], size: int) -> Places:
    """Return the places of the facts, best first within each group of this size."""
    groups = range(0, len(scores), size)
    ranked = [at + rank(scores[at : at + size], seqs[at : at + size]) for at in groups]
    return np.concatenate(ranked) if ranked else np.empty(0, np.intp)

"""One search of some sessions: which vectors decide it, and which messages are the best."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.stores.retrieval.columns import Found
from goldfish.stores.retrieval.marks import hash_word
from goldfish.stores.retrieval.names import Label
from goldfish.stores.retrieval.scores import ALL, FEW, Scores, explain, rank
from goldfish.stores.retrieval.times import asks_when, find_spans
from goldfish.stores.retrieval.words import split_words
from goldfish.stores.search.index import SessionIndex, Slots
from goldfish.stores.search.ranking import (
    Parts,
    Question,
    Scoring,
    find_deciding,
    guess_meaning,
    read_meaning,
    weigh_words,
)

Numbers = NDArray[np.intp]


class Hit(NamedTuple):
    """A message that fits, and the parts of its score."""

    session_id: str
    place: int
    why: dict[str, float]


class Search:
    """A question to some sessions, as they are when it is made; each step holds their locks."""

    def __init__(
        self,
        sessions: Sequence[SessionIndex],
        query: str,
        names: Sequence[Label],
        vector: NDArray[np.float32] | None,
        limit: int,
    ) -> None:
        self._sessions = sessions
        self._limit = limit
        with _hold(sessions):
            self._known = [index.known for index in sessions]
            asked = _split_query(query, names)
            words = [_find_words(index, asked) for index in sessions]
            self._question = _make_question(sessions, query, names, vector, words)
            pairs = zip(sessions, words, strict=True)
            self._scoring = [Scoring(index, self._question, some) for index, some in pairs]
            self._ends = np.cumsum([len(index) for index in sessions])
            self._choose(sum(map(len, sessions)))

    def find_missing(self) -> dict[str, list[int]] | None:
        """Return the messages whose vectors are to be learnt; None if a session has changed."""
        with _hold(self._sessions):
            if not self._is_present():
                return None
            pairs = zip(self._sessions, self._deciding, strict=True)
            lacking = {index.session_id: index.list_unlearnt(slots) for index, slots in pairs}
        return {session_id: places for session_id, places in lacking.items() if places}

    def learn(self, vectors: Mapping[str, Mapping[int, bytes]]) -> None:
        """Keep vectors of messages, unless their session has changed."""
        with _hold(self._sessions):
            if self._is_present():
                for index in self._sessions:
                    index.learn(vectors.get(index.session_id, {}))

    def find_best(self) -> list[Hit] | None:
        """Return the best messages in order; None if a session has changed."""
        if self.find_missing() != {}:
            return None
        with _hold(self._sessions):
            if not self._is_present():
                return None
            parts = self._parts
            if self._question.vector is not None:
                pairs = zip(self._sessions, self._deciding, strict=True)
                parts = self._score([read_meaning(i, self._question, s) for i, s in pairs])
            total = _add_up(parts)[self._candidates]
            best = self._candidates[rank(total, self._candidates, self._limit)]
            hits = [self._make_hit(parts, place) for place in best]
            more = self._rest[: self._limit - len(hits)]
            return hits + [self._make_hit(self._parts, place) for place in more]

    def _choose(self, many: int) -> None:
        """Find the candidates, among which vectors decide, and those that come after them."""
        guessing = self._question.vector is not None and many > ALL
        nothing = [np.zeros(len(index), np.float32) for index in self._sessions]
        guessed = nothing
        if guessing:
            guessed = [guess_meaning(index, self._question) for index in self._sessions]
        self._parts = self._score(guessed)
        self._candidates, self._rest = np.arange(many), np.empty(0, np.intp)
        if guessing:
            ranked = rank(_add_up(self._parts), self._candidates, max(FEW, self._limit))
            few = max(FEW, min(self._limit, ALL))
            self._candidates, self._rest = np.sort(ranked[:few]), ranked[few:]
        self._deciding = [np.empty(0, np.intp) for _ in self._sessions]
        if self._question.vector is not None:
            chosen = zip(self._sessions, self._split(self._candidates), guessed, strict=True)
            self._deciding = [find_deciding(*each) for each in chosen]

    def _score(self, meanings: Sequence[Scores]) -> list[Parts]:
        pairs = zip(self._scoring, meanings, strict=True)
        return [scoring.score(meaning) for scoring, meaning in pairs]

    def _split(self, numbers: Numbers) -> list[Slots]:
        """Return the slots of messages in each session, given their numbers in all of them."""
        begins = np.concatenate([[0], self._ends[:-1]])
        cuts = np.searchsorted(numbers, self._ends[:-1])
        return [some - begin for some, begin in zip(np.split(numbers, cuts), begins, strict=True)]

    def _make_hit(self, parts: Sequence[Parts], number: np.intp) -> Hit:
        at = int(np.searchsorted(self._ends, number, side="right"))
        index = self._sessions[at]
        slot = int(number - (self._ends[at] - len(index)))
        return Hit(index.session_id, int(index.places.values[slot]), explain(parts[at], slot))

    def _is_present(self) -> bool:
        """Return whether all sessions are known as they were when the search was made."""
        return all(i.known == known for i, known in zip(self._sessions, self._known, strict=True))


@contextlib.contextmanager
def _hold(sessions: Sequence[SessionIndex]) -> Iterator[None]:
    """Let nobody change what is known of these sessions."""
    with contextlib.ExitStack() as locks:
        for index in sorted(sessions, key=lambda each: each.session_id):  # so none waits in a ring
            locks.enter_context(index.lock)
            index.refuse_lost()
        yield


def _find_words(index: SessionIndex, words: Sequence[str]) -> dict[str, Found]:
    return {word: index.words.find(hash_word(word)) for word in words}


def _make_question(
    sessions: Sequence[SessionIndex],
    query: str,
    names: Sequence[Label],
    vector: NDArray[np.float32] | None,
    words: Sequence[Mapping[str, Found]],
) -> Question:
    counts = {word: sum(len(each[word].slots) for each in words) for word in words[0]}
    messages = sum(map(len, sessions))
    length = sum(float(index.lengths.values.sum(dtype="f8")) for index in sessions) / max(
        1, messages
    )
    years = sorted({year for index in sessions for year in index.years})
    worth, spans = weigh_words(counts, messages), find_spans(query, years)
    return Question(worth, length or 1.0, vector, names, spans, asks_when(query))


def _split_query(query: str, names: Sequence[Label]) -> list[str]:
    """Return the words of the question; who is named in it counts as a speaker, not as a word."""
    spoken_of = {word for name in names for word in split_words(" ".join(name))}
    asked = list(dict.fromkeys(split_words(query)))
    return [word for word in asked if word not in spoken_of] or asked


def _add_up(parts: Sequence[Parts]) -> Scores:
    return np.concatenate([each.total() for each in parts])

"""How well messages fit a question."""

import numpy as np
import pytest

from goldfish.stores.retrieval.marks import hash_word
from goldfish.stores.retrieval.scores import explain
from goldfish.stores.retrieval.times import find_spans
from goldfish.stores.retrieval.words import split_words
from goldfish.stores.search import ranking
from goldfish.stores.search.index import SessionIndex
from goldfish.stores.search.ranking import (
    Parts,
    Question,
    Scoring,
    guess_meaning,
    read_meaning,
    weigh_words,
)
from tests.stores.search.sessions import EMBEDDER, session


def asked(index: SessionIndex, query: str, *names: str, vector: bool = True) -> Parts:
    """The partial scores of all messages."""
    words = {word: index.words.find(hash_word(word)) for word in split_words(query)}
    counts = {word: len(found.slots) for word, found in words.items()}
    question = Question(
        weigh_words(counts, len(index)),
        float(index.lengths.values.mean()) or 1.0,
        EMBEDDER.encode([query])[0] if vector else None,
        [(name.casefold(),) for name in names],
        find_spans(query, index.years),
        asks_when=query.startswith("When"),
    )
    meaning = read_meaning(index, question, np.arange(len(index)))
    return Scoring(index, question, words).score(meaning)


def test_words_count_by_how_rare_they_are() -> None:
    """The message with the rare word of the question beats those with the common one."""
    index = session("the red fish", "the red boat", "the red hat", "a green eel")
    assert asked(index, "red eel").words.argmax() == 3


def test_all_words_of_a_question_together_count_more() -> None:
    """A message that has all of them has more than the sum of two that have half each."""
    index = session("red", "eel", "red eel", "hat", "boat")
    red, eel, both, *_ = asked(index, "red eel").words
    assert both > red + eel


def test_what_follows_a_question_gets_more_than_what_follows_a_statement() -> None:
    """The words of a message lend weight to the next, above all if it asks."""
    index = session("I like eel.", "so so", "Do you like eel?", "so so", vectors=False)
    around = asked(index, "eel", vector=False).around
    assert around[3] > around[1]


def test_the_meaning_of_the_next_message_counts() -> None:
    """A reaction tells what was said before it."""
    around = asked(session("alpha", "beta", "gamma", "delta"), "gamma").around
    assert around[1] > around[0]


def test_a_conversation_between_two_pauses_speaks_for_each_message() -> None:
    """Idle talk among messages about the matter fits better than idle talk elsewhere."""
    about = [("we smoke eel", 0.0), ("eel with bread", 0.1), ("idle", 0.2), ("talk", 0.3)]
    elsewhere = [("hats", 30.0), ("boats", 30.1), ("idle", 30.2), ("talk", 30.3)]
    total = asked(session(*about, *elsewhere), "eel").total()
    assert total[3] > total[7]


def test_who_speaks_and_when_count_if_the_question_names_them() -> None:
    """Otherwise they count nothing."""
    index = session(("Ann: I sail", 0.0), ("Bob: I sail", 0.1), ("Ann: I sail", 24 * 40))
    assert list(asked(index, "sail", "Ann").speaker) == [0.75, 0, 0.75]
    assert not asked(index, "sail").speaker.any()
    assert asked(index, "sail in June").time.argmax() == 2
    assert not asked(index, "sail").time.any()


def test_shortly_after_a_day_people_still_talk_about_it() -> None:
    """The fit of a date fades within two weeks, and there is none before it."""
    index = session(("a", 0.0), ("b", 24.0 * 2), ("c", 24.0 * 7), ("d", 24.0 * 30))
    before, on, after, late = asked(index, "on 3 May 2026").time
    assert (before, late) == (0, 0)
    assert on > after > 0


def test_without_vectors_what_shares_no_word_is_not_found() -> None:
    """Only messages with a word of the question, and those right after them, have a score."""
    total = asked(session("eel", "next", "other", vectors=False), "eel", vector=False).total()
    assert list(np.isfinite(total)) == [True, True, False]


def test_the_score_is_the_sum_of_its_parts() -> None:
    """Each part is told, and nothing else counts."""
    found = asked(session("Ann: I like eel?", "Bob: yes, since May"), "When did Ann eat eel?")
    for number, total in enumerate(found.total()):
        assert sum(explain(found, number).values()) == pytest.approx(total, abs=1e-5)


def test_an_empty_session_has_no_scores() -> None:
    """Nothing is found in nothing."""
    question = Question({}, 1.0, EMBEDDER.encode(["x"])[0], [], [], False)
    index = SessionIndex("s", EMBEDDER.dimensions)
    assert not len(Scoring(index, question, {}).score(guess_meaning(index, question)).total())


@pytest.mark.parametrize("seed", range(3))
def test_many_conversations_are_judged_like_few(seed: int) -> None:
    """The best of each stretch are the same, whichever way they are found."""
    dice = np.random.default_rng(seed)
    scores = dice.choice([0, 0.25, 0.5, 1], 200).astype(np.float32)
    starts = sorted({0, *dice.integers(1, 200, 25).tolist()})
    few = ranking._average_best(scores, np.array(starts))
    assert ranking._average_best_of_many(scores, np.array(starts)) == pytest.approx(few)

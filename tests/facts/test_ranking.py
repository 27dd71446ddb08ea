"""How facts are ranked, whatever happened to them before."""

import random

import numpy as np

from goldfish.facts.ranking import Question, Ranking
from goldfish.testing import HashEmbedder

embedder = HashEmbedder(64)


def asked(text: str) -> Question:
    return Question(text.split(), [], embedder.encode([text]))


def put(ranking: Ranking, seq: int, *texts: str) -> None:
    words = [word for text in texts for word in text.split()]
    ranking.put(seq, words, set(), embedder.encode(texts).tobytes())


def order(ranking: Ranking, text: str, count: int | None = None) -> list[int]:
    return [hit.seq for hit in ranking.hits(asked(text), count)]


def test_the_best_comes_first_and_equals_in_order() -> None:
    """Facts that fit alike keep the order in which they were remembered."""
    ranking = Ranking(64)
    for seq, text in enumerate(["tea", "green tea", "milk", "salt"]):
        put(ranking, seq, text)
    assert order(ranking, "green tea") == [1, 0, 2, 3]
    assert order(ranking, "nothing") == [0, 1, 2, 3]
    assert order(ranking, "green tea", 2) == [1, 0]


def test_pages_are_parts_of_one_order() -> None:
    """However many are asked for, they are the first of the same list."""
    ranking, dice = Ranking(64), random.Random(1)
    for seq in range(200):
        put(ranking, seq, " ".join(dice.choices("abcdefgh", k=3)))
    everything = order(ranking, "a b")
    assert sorted(everything) == list(range(200))
    for count in (1, 7, 50, 199, 200, 500):
        assert order(ranking, "a b", count) == everything[:count]


def test_the_past_does_not_matter() -> None:
    """After many changes, scores are those of a ranking that never saw them."""
    lived, dice = Ranking(64), random.Random(2)
    texts: dict[int, str] = {}
    for step in range(600):
        seq = dice.randrange(60)
        if dice.random() < 0.4:
            lived.drop(seq)
            texts.pop(seq, None)
        else:
            texts[seq] = " ".join(dice.choices("abcdefgh", k=4)) + f" n{step % 7}"
            put(lived, seq, texts[seq])
    fresh = Ranking(64)
    for seq in sorted(texts):
        put(fresh, seq, texts[seq])
    question = asked("a b n3")
    ours = {hit.seq: (hit.score, hit.why()) for hit in lived.hits(question, None)}
    theirs = {hit.seq: (hit.score, hit.why()) for hit in fresh.hits(question, None)}
    assert ours == theirs
    assert len(lived) == len(texts)


def test_the_best_piece_of_a_long_text_counts() -> None:
    """A fact in several pieces is as close as its closest piece."""
    ranking = Ranking(64)
    put(ranking, 1, "tea")
    put(ranking, 2, "one thing", "some sugar")
    put(ranking, 3, "two things")
    question = Question([], [], embedder.encode(["some sugar"]))
    best = next(ranking.hits(question, 1))
    assert best.seq == 2
    assert best.why()["meaning"] > 0.99
    assert ranking.near(2, 0.9) == []


def test_near_facts_are_found_by_their_vectors() -> None:
    """Those at least so close, without the fact itself and those that are gone."""
    ranking = Ranking(64)
    for seq, text in enumerate(["a b c d", "d c b a", "x y z", "a b c d e"]):
        put(ranking, seq, text)
    assert ranking.near(0, 0.99) == [1]
    assert ranking.near(0, 0.85) == [1, 3]
    ranking.drop(1)
    assert ranking.near(0, 0.99) == []


def test_words_alone_rank_too() -> None:
    """Without an embedder there are no vectors, and the words decide."""
    ranking = Ranking(0)
    ranking.put(1, ["tea"], set(), b"")
    ranking.put(2, ["milk"], set(), b"")
    hits = list(ranking.hits(Question(["milk"], [], None), None))
    assert [hit.seq for hit in hits] == [2, 1]
    assert hits[0].why() == {"words": 1.0, "meaning": 0.0, "named": 0.0}


def test_what_the_question_names_counts_and_is_asked_as_i() -> None:
    """A named fact is compared with the question in the first person, others as it stands."""
    ranking = Ranking(64)
    vectors = [embedder.encode([text]).tobytes() for text in ("I moved", "Ann moved")]
    ranking.put(1, ["move"], {("ann",)}, vectors[0])
    ranking.put(2, ["move"], set(), vectors[1])
    question = Question(["move"], [("ann",)], embedder.encode(["Ann moved", "I moved"]))
    assert [hit.why() for hit in ranking.hits(question, None)] == [
        {"words": 1.0, "meaning": 1.0, "named": 1.0},
        {"words": 1.0, "meaning": 1.0, "named": 0.0},
    ]
    assert np.isfinite(ranking.parts(question).words).all()

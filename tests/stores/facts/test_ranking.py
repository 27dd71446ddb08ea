"""How facts are ranked, whatever happened to them before."""

import random

import pytest

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.facts.ranking import Question, Ranking, Traits
from goldfish.stores.retrieval.times import DAY, Span
from goldfish.testing import HashEmbedder

embedder = HashEmbedder(64)


def asked(text: str) -> Question:
    return Question(text.split(), embedder.encode([text])[0])


def put(ranking: Ranking, seq: int, *texts: str) -> None:
    words = [word for text in texts for word in text.split()]
    ranking.put(seq, Traits(words, embedder.encode(texts).tobytes()))


def order(ranking: Ranking, text: str, count: int | None = None) -> list[int]:
    return [hit.seq for hit in ranking.hits(asked(text), count)]


def test_the_best_comes_first_and_equals_in_order() -> None:
    """Facts that fit alike keep the order in which they were remembered."""
    ranking = Ranking(64)
    for seq, text in enumerate(["black tea", "green tea", "some milk", "much salt"]):
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


def test_nothing_of_a_fact_that_is_gone_counts() -> None:
    """Neither its words, nor its years, nor that it was somebody who spoke."""
    lived, fresh = Ranking(0), Ranking(0)
    gone = Traits(["unicorn"], b"", {("ann",)}, {("ann",)}, 0.0)
    kept = Traits(["tea"], b"", {("ann",)}, moment=400 * DAY)
    lived.put(1, gone)
    for ranking in (lived, fresh):
        ranking.put(2, kept)
    assert (lived.years, lived.speaking([("ann",)])) == ([1970, 1971], [("ann",)])
    lived.drop(1)
    assert (lived.years, lived.speaking([("ann",)])) == ([1971], [])
    assert lived.living([("ann",)]) == [("ann",)]
    question = Question(["unicorn", "tea"], None)
    ours, theirs = (
        [(hit.seq, hit.score) for hit in each.hits(question, None)] for each in (lived, fresh)
    )
    assert ours == theirs


@pytest.mark.parametrize("moment", [-62135614800.0, 253402300799.999999, 253402318799.0])
def test_a_fact_may_be_of_the_first_or_the_last_year(moment: float) -> None:
    """Also if that is another year in UTC, for which there is no date."""
    ranking = Ranking(0)
    ranking.put(1, Traits(["tea"], b"", moment=moment))
    assert ranking.years[0] in (0, 9999, 10_000)
    ranking.drop(1)
    assert ranking.years == []


def test_a_damaged_vector_changes_nothing() -> None:
    """The fact is as it was, and so are all others."""
    ranking = Ranking(64)
    put(ranking, 1, "black tea")
    with pytest.raises(MemoryStoreBackendError, match="reembed"):
        ranking.put(1, Traits(["milk"], b"123"))
    assert order(ranking, "black tea") == [1]
    assert len(ranking) == 1


def test_the_best_piece_of_a_long_text_counts() -> None:
    """A fact in several pieces is as close as its closest piece."""
    ranking = Ranking(64)
    put(ranking, 1, "tea")
    put(ranking, 2, "one thing", "some sugar")
    put(ranking, 3, "two things")
    question = Question([], embedder.encode(["some sugar"])[0])
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
    ranking.put(1, Traits(["tea"], b""))
    ranking.put(2, Traits(["milk"], b""))
    hits = list(ranking.hits(Question(["milk"], None), None))
    assert [hit.seq for hit in hits] == [2, 1]
    assert (hits[0].why()["words"], hits[0].why()["meaning"]) == (1.0, 0.0)
    assert hits[1].why()["words"] == 0.0


def test_what_the_question_names_counts() -> None:
    """A name or a day in the metadata; and a day for a while after it."""
    ranking, day = Ranking(0), Span(100 * DAY, 101 * DAY)
    ranking.put(1, Traits(["x"], b"", moment=99 * DAY))
    ranking.put(2, Traits(["x"], b"", {("ann",)}))
    ranking.put(3, Traits(["x"], b"", moment=100.5 * DAY))
    ranking.put(4, Traits(["x"], b"", moment=108 * DAY))
    ranking.put(5, Traits(["x"], b"", moment=200 * DAY))
    hits = list(ranking.hits(Question(["x"], None, [("ann",), ("bob",)], [day]), None))
    assert [hit.seq for hit in hits] == [2, 3, 4, 1, 5]
    assert [hit.why()["named"] for hit in hits] == [1, 0, 0, 0, 0]
    assert [hit.why()["time"] for hit in hits] == [0, 1, 0.5, 0, 0]
    assert ranking.living([("ann",)]) == [("ann",)]
    ranking.drop(2)
    assert ranking.living([("ann",)]) == []


def test_what_asks_or_says_little_comes_after_what_tells() -> None:
    """Among facts that fit alike, the one that says more is the likelier answer."""
    ranking = Ranking(0)
    ranking.put(1, Traits(["tea"], b""))
    ranking.put(2, Traits(["green", "tea", "from", "japan"], b"", asks=True))
    ranking.put(3, Traits(["black", "tea", "from", "china"], b""))
    assert [hit.seq for hit in ranking.hits(Question([], None), None)] == [3, 2, 1]

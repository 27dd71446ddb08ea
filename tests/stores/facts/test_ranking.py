"""How facts are ranked, whatever happened to them before."""

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.facts import ranking as module
from goldfish.stores.facts.backend import Vector
from goldfish.stores.facts.ranking import WEIGHTS, Hit, Question, Ranking, Search
from goldfish.stores.retrieval.blocks import Marked, Marks
from goldfish.stores.retrieval.marks import ASKS, Traits, encode_marks
from goldfish.stores.retrieval.scores import K1, B, rarity
from goldfish.stores.retrieval.times import DAY, Span
from goldfish.testing import HashEmbedder

embedder = HashEmbedder(64)
wordings = itertools.count(1)


def asked(text: str) -> Question:
    return Question(text.split(), embedder.encode([text])[0])


def put_traits(ranking: Ranking, seq: int, traits: Traits) -> None:
    """Take in a fact as a backend tells it: its marks, and its vectors."""
    at = next(wordings)
    ranking.take_in(Marks.of([Marked(seq, at, encode_marks(traits, ranking.dimensions))]))
    if ranking.dimensions:
        ranking.learn([Vector(seq, at, traits.vectors)])


def put(ranking: Ranking, seq: int, *texts: str) -> None:
    words = [word for text in texts for word in text.split()]
    put_traits(ranking, seq, Traits(words, embedder.encode(texts).tobytes()))


def hits(ranking: Ranking, question: Question, end: int = 10**6, first: int = 0) -> list[Hit]:
    search = Search(question, first, end)
    assert ranking.find_missing(search, None) == []
    return ranking.hits(search)


def order(ranking: Ranking, text: str, count: int = 10**6) -> list[int]:
    return [hit.seq for hit in hits(ranking, asked(text), count)]


def near(ranking: Ranking, seq: int, least: float) -> list[int]:
    slot = ranking.slots.find(seq)
    assert slot is not None
    return [
        int(each)
        for each in ranking.slots.seqs[ranking.near(slot, ranking.find_likely(slot), least)]
    ]


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
            lived.drop([seq])
            texts.pop(seq, None)
        else:
            texts[seq] = " ".join(dice.choices("abcdefgh", k=4)) + f" n{step % 7}"
            put(lived, seq, texts[seq])
    fresh = Ranking(64)
    for seq in sorted(texts):
        put(fresh, seq, texts[seq])
    question = asked("a b n3")
    ours = {hit.seq: (hit.score, hit.why) for hit in hits(lived, question)}
    theirs = {hit.seq: (hit.score, hit.why) for hit in hits(fresh, question)}
    assert ours == theirs
    assert len(lived) == len(texts)


def test_nothing_of_a_fact_that_is_gone_counts() -> None:
    """Neither its words, nor its years, nor that it was somebody who spoke."""
    lived, fresh = Ranking(0), Ranking(0)
    gone = Traits(["unicorn"], b"", {("ann",)}, {("ann",)}, 0.0)
    kept = Traits(["tea"], b"", {("ann",)}, moment=400 * DAY)
    put_traits(lived, 1, gone)
    for ranking in (lived, fresh):
        put_traits(ranking, 2, kept)
    assert (lived.years, lived.speaking([("ann",)])) == ([1970, 1971], [("ann",)])
    lived.drop([1])
    assert (lived.years, lived.speaking([("ann",)])) == ([1971], [])
    assert lived.living([("ann",)]) == [("ann",)]
    question = Question(["unicorn", "tea"], None)
    ours, theirs = (
        [(hit.seq, hit.score) for hit in hits(each, question)] for each in (lived, fresh)
    )
    assert ours == theirs


@pytest.mark.parametrize("moment", [-62135614800.0, 253402300799.999999, 253402318799.0])
def test_a_fact_may_be_of_the_first_or_the_last_year(moment: float) -> None:
    """Also if that is another year in UTC, for which there is no date."""
    ranking = Ranking(0)
    put_traits(ranking, 1, Traits(["tea"], b"", moment=moment))
    assert ranking.years[0] in (0, 9999, 10_000)
    ranking.drop([1])
    assert ranking.years == []


def test_a_damaged_vector_changes_nothing() -> None:
    """The fact is as it was, and so are all others."""
    ranking = Ranking(64)
    put(ranking, 1, "black tea")
    milk = encode_marks(Traits(["milk"], embedder.encode(["milk"]).tobytes()), 64)
    ranking.take_in(Marks.of([Marked(3, 3, milk)]))
    with pytest.raises(MemoryStoreBackendError, match="reembed"):
        ranking.learn([Vector(3, 3, b"123")])
    ranking.drop([3])
    with pytest.raises(MemoryStoreBackendError, match="damaged"):
        ranking.take_in(Marks.of([Marked(2, 2, bytes(30))]))
    assert order(ranking, "black tea") == [1]
    assert len(ranking) == 1


def test_the_best_piece_of_a_long_text_counts() -> None:
    """A fact in several pieces is as close as its closest piece."""
    ranking = Ranking(64)
    put(ranking, 1, "tea")
    put(ranking, 2, "one thing", "some sugar")
    put(ranking, 3, "two things")
    question = Question([], embedder.encode(["some sugar"])[0])
    (best,) = hits(ranking, question, 1)
    assert best.seq == 2
    assert best.why["meaning"] > 0.99
    assert near(ranking, 2, 0.9) == []


def test_near_facts_are_found_by_their_vectors() -> None:
    """Those at least so close, without the fact itself and those that are gone."""
    ranking = Ranking(64)
    for seq, text in enumerate(["a b c d", "d c b a", "x y z", "a b c d e"]):
        put(ranking, seq, text)
    assert near(ranking, 0, 0.99) == [1]
    assert near(ranking, 0, 0.85) == [1, 3]
    ranking.drop([1])
    assert near(ranking, 0, 0.99) == []


def test_milk_rank_too() -> None:
    """Without an embedder there are no vectors, and the words decide."""
    ranking = Ranking(0)
    put_traits(ranking, 1, Traits(["tea"], b""))
    put_traits(ranking, 2, Traits(["milk"], b""))
    found = hits(ranking, Question(["milk"], None))
    assert [hit.seq for hit in found] == [2, 1]
    assert (found[0].why["words"], found[0].why["meaning"]) == (1.0, 0.0)
    assert found[1].why["words"] == 0.0


def test_what_the_question_names_counts() -> None:
    """A name or a day in the metadata; and a day for a while after it."""
    ranking, day = Ranking(0), Span(100 * DAY, 101 * DAY)
    put_traits(ranking, 1, Traits(["x"], b"", moment=99 * DAY))
    put_traits(ranking, 2, Traits(["x"], b"", {("ann",)}))
    put_traits(ranking, 3, Traits(["x"], b"", moment=100.5 * DAY))
    put_traits(ranking, 4, Traits(["x"], b"", moment=108 * DAY))
    put_traits(ranking, 5, Traits(["x"], b"", moment=200 * DAY))
    found = hits(ranking, Question(["x"], None, [("ann",), ("bob",)], [day]))
    assert [hit.seq for hit in found] == [2, 3, 4, 1, 5]
    assert [hit.why["named"] for hit in found] == [1, 0, 0, 0, 0]
    assert [hit.why["time"] for hit in found] == [0, 1, 0.5, 0, 0]
    assert ranking.living([("ann",)]) == [("ann",)]
    ranking.drop([2])
    assert ranking.living([("ann",)]) == []


def test_what_asks_or_says_little_comes_after_what_tells() -> None:
    """Among facts that fit alike, the one that says more is the likelier answer."""
    ranking = Ranking(0)
    put_traits(ranking, 1, Traits(["tea"], b""))
    put_traits(ranking, 2, Traits(["green", "tea", "from", "japan"], b"", flags=ASKS))
    put_traits(ranking, 3, Traits(["black", "tea", "from", "china"], b""))
    assert [hit.seq for hit in hits(ranking, Question([], None))] == [3, 2, 1]


def reference(facts: dict[int, Traits], question: Question) -> list[tuple[int, float]]:
    """Rank facts by the plain formula, one by one, from their words and vectors."""
    assert question.vector is not None
    average = sum(len(each.words) for each in facts.values()) / len(facts)
    asked = {word: sum(word in each.words for each in facts.values()) for word in question.words}
    worth = {word: rarity(many, len(facts)) for word, many in asked.items() if many}
    scored = []
    for seq, each in facts.items():
        bm25 = share = 0.0
        for word, rare in worth.items():
            count = each.words.count(word)
            long = 1 - B + B * len(each.words) / average
            bm25 += rare / sum(worth.values()) * (1 + K1) * count / (count + K1 * long)
            share += rare / sum(worth.values()) if count else 0.0
        vectors = np.frombuffer(each.vectors, np.float32).reshape(-1, 64).astype(np.float64)
        parts = {
            "words": max(min(bm25, 1), share**4),
            "meaning": max(0.0, *(vectors @ question.vector)),
            "named": float(any(name in each.labels for name in question.names)),
            "time": 0.0,
            "substance": len(each.words) / (len(each.words) + 5) * (0.5 if each.flags else 1),
        }
        total = sum(WEIGHTS[name] * part for name, part in parts.items()) / sum(WEIGHTS.values())
        scored.append((seq, total))
    return sorted(scored, key=lambda pair: (-round(pair[1], 5), pair[0]))


def draw_facts(dice: random.Random, many: int, words: Sequence[str]) -> dict[int, Traits]:
    facts = {}
    for seq in range(many):
        texts = [" ".join(dice.choices(words, k=6)) for _ in range(1 + (dice.random() < 0.1))]
        labels = [dice.choice([("ann",), ("bob",)])] if dice.random() < 0.5 else []
        said, vectors = " ".join(texts).split(), embedder.encode(texts).tobytes()
        facts[seq] = Traits(said, vectors, labels, labels, flags=ASKS if dice.random() < 0.2 else 0)
    return facts


@pytest.mark.parametrize("seed", range(5))
def test_the_order_is_that_of_the_plain_formula(seed: int) -> None:
    """Marks, hashes and columns change nothing of what words, vectors and names are worth."""
    dice, words = random.Random(seed), [f"w{n}" for n in range(30)]
    facts = draw_facts(dice, 150, words)
    ranking = Ranking(64)
    for seq in dice.sample(sorted(facts), len(facts)):
        put_traits(ranking, seq, facts[seq])
    question = asked(" ".join(dice.choices(words, k=4)))._replace(names=[("ann",)])
    expected, found = reference(facts, question), hits(ranking, question)
    assert dict(expected) == pytest.approx({hit.seq: hit.score for hit in found}, abs=2e-6)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert found[0].score == pytest.approx(expected[0][1], abs=2e-6)


@pytest.mark.parametrize("room", [1500, 1499])
def test_after_a_few_questions_all_vectors_are_there(
    monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """If there is room for them; else a question brings those alone that it needs."""
    dice, words = random.Random(3), [f"w{n}" for n in range(200)]
    facts, ranking, lacking = draw_facts(dice, 1500, words), Ranking(64), list[int]()
    ranking.take_in(Marks.of([Marked(n, 1, encode_marks(facts[n], 64)) for n in facts]))
    for name, number in {"ALL": 1000, "FEW": 100, "MOST": room}.items():
        monkeypatch.setattr(module, name, number)
    for _ in range(16):
        search = Search(asked(" ".join(dice.choices(words, k=4))), 0, 10)
        missing = ranking.find_missing(search, None)
        lacking.append(len(missing))
        assert len(set(missing)) == len(missing)
        assert len(missing) <= (200 if room == 1500 else 100)
        ranking.learn([Vector(seq, 1, facts[seq].vectors) for seq in missing])
        assert ranking.find_missing(search, None) == []
    assert (lacking[-1] == 0) == (room == 1500)
    assert sum(lacking) <= 1500  # none comes twice


def test_beyond_some_facts_few_vectors_give_the_same_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the codes guess decides whose vectors are looked at; pages are parts of one order."""
    dice, words = random.Random(7), [f"w{n}" for n in range(200)]
    facts = draw_facts(dice, 1500, words)
    exact, coded, missing = Ranking(64), Ranking(64), 0
    for seq, traits in facts.items():
        marks = Marks.of([Marked(seq, 1, encode_marks(traits, 64))])
        exact.take_in(marks)
        coded.take_in(marks)
        exact.learn([Vector(seq, 1, traits.vectors)])
    questions = [asked(" ".join(dice.choices(words, k=4))) for _ in range(20)]
    best = [hits(exact, question, 10) for question in questions]
    monkeypatch.setattr(module, "ALL", 1000)
    monkeypatch.setattr(module, "FEW", 128)
    for question, expected in zip(questions, best, strict=True):
        search = Search(question, 0, 10)
        lacking = coded.find_missing(search, None)
        missing += len(lacking)
        coded.learn([Vector(seq, 1, facts[seq].vectors) for seq in lacking])
        assert [hit.seq for hit in coded.hits(search)] == [hit.seq for hit in expected]
    assert missing <= 20 * 128
    coded.learn([Vector(seq, 1, traits.vectors) for seq, traits in facts.items()])
    whole = [hit.seq for hit in hits(coded, questions[0])]
    assert sorted(whole) == sorted(facts)
    for first in (0, 5, 120, 130, 700, 1490):
        page = [hit.seq for hit in hits(coded, questions[0], first + 20, first)]
        assert page == whole[first : first + 20]


def test_beyond_some_facts_near_ones_are_found_by_their_codes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The vectors of few facts are asked for, and those of all that are near among them."""
    monkeypatch.setattr(module, "ALL", 10)
    dice, ranking, wide = random.Random(3), Ranking(512), HashEmbedder(512)
    words = [f"w{n}" for n in range(100)]
    texts = [" ".join(dice.choices(words, k=9)) for _ in range(300)]
    texts[200] = " ".join(reversed(texts[100].split()))
    vectors = [wide.encode([text]).tobytes() for text in texts]
    marks = [encode_marks(Traits([], each), 512) for each in vectors]
    ranking.take_in(Marks.of([Marked(seq, 1, each) for seq, each in enumerate(marks)]))
    likely = ranking.list_unlearnt(ranking.find_likely(200))
    assert {100, 200} <= set(likely)
    assert len(likely) < 10
    ranking.learn([Vector(seq, 1, vectors[seq]) for seq in likely])
    assert near(ranking, 200, 0.9) == [100]

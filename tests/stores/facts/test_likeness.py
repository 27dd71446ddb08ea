"""Which texts of like meaning are near-duplicates, and which say something else."""

from itertools import product

import pytest

from goldfish.stores.facts.likeness import are_alike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order 8892 is late", "order 8893 is late"),
        ("she has two cats", "she has three cats"),
        ("the alarm is enabled", "the alarm is disabled"),
        ("I am happy with it", "I am unhappy with it"),
        ("allergic to nuts", "not allergic to nuts"),
        ("he likes Django", "he doesn't like Django"),
        ("Tom likes tea", "Ann likes tea"),
        ("Tom owes Ann money", "Ann owes Tom money"),
        ("the flight leaves at 9:30", "the flight leaves at 9:45"),
        ("我喜欢茶", "我不喜欢茶"),
        ("она любит чай", "она не любит чай"),
    ],
)
def test_other_numbers_names_or_negations_are_another_fact(one: str, other: str) -> None:
    """However close an embedding puts them, they are not linked."""
    assert not are_alike(one, other)
    assert not are_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Berlin", "I am living in Berlin"),
        ("she has two cats", "She has 2 cats"),
        ("the user likes Django", "The user really likes django"),
        ("My sister lives in Rome", "my sister is living in Rome"),
        ("I do not eat meat", "I don't eat any meat"),
        ("x\0\ud800", "x \ud800"),
    ],
)
def test_other_words_for_the_same_are_are_alike(one: str, other: str) -> None:
    """The same numbers, names and negations, in whatever words."""
    assert are_alike(one, other)
    assert are_alike(other, one)


def test_long_texts_are_compared_word_by_word_and_not_pair_by_pair() -> None:
    """Of 15,000 words on either side no two are alike; looking at all pairs would take minutes."""
    words = ["".join(letters) for letters in product("abcdefghijk", repeat=4)]
    ours, theirs = (" ".join(side + word for word in words) for side in ("ox", "cow"))
    assert are_alike(ours, theirs)
    assert not are_alike(ours + " enabled", theirs + " disabled")

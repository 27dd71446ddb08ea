"""What a text is found by."""

import math
import sys
import threading
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldfish.errors import MissingExtraError
from goldfish.stores.facts.likeness import are_alike
from goldfish.stores.retrieval import words as module
from goldfish.stores.retrieval.times import find_moment, parse_time
from goldfish.stores.retrieval.words import split_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The kids were running", ["kid", "run"]),
        ("She paints; he painted a painting.", ["paint", "paint", "paint"]),
        ("Caroline's dog isn't here", ["carolin", "dog"]),
        ("I\u2019m sure they\u2019ve left", ["sure", "left"]),
        ("well-known", ["well", "known"]),
    ],
)
def test_english_words_are_stems_without_stop_words(text: str, expected: list[str]) -> None:
    """Forms of one word are the same word, and words that say nothing are left out."""
    assert split_words(text) == expected


def test_a_text_of_stop_words_is_found_by_them() -> None:
    """Nothing is unfindable because all of it is common."""
    assert split_words("To be, or not to be") == ["to", "be", "or", "not", "to", "be"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("order 8892 please", "8892"),
        ("it runs v2.1 now", "v2.1"),
        ("room A-17", "a-17"),
        ("mail to Ann.Lee@Example.org!", "ann.lee@example.org"),
        ("the field user_id", "user_id"),
        ("at 10:30.", "10:30"),
        ("1,000,000 euros", "1000000"),
        ("I write C++", "c++"),
        ("and C#, too", "c#"),
        ("a 🐠 in a bowl", "🐠"),
    ],
)
def test_numbers_and_codes_are_found_as_such(text: str, code: str) -> None:
    """A number, a version, an address or an emoji is a word as it stands."""
    assert code in split_words(text)
    assert split_words(code)[0] == code


def test_a_code_is_also_found_by_its_parts() -> None:
    """Whoever knows a part of an address or version finds the whole."""
    assert {"lee", "exampl"} <= set(split_words("ann.lee@example.org"))
    assert split_words("8892") != split_words("8893")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("我喜欢喝茶", ["喜欢", "喝茶", "茶"]),
        ("コーヒーが好き", ["コー", "好き"]),
        ("커피를 좋아해요", ["커피", "좋아"]),
        ("ฉันชอบกาแฟ", ["กา", "แฟ"]),
        ("Python网页框架", ["python", "网页", "框架"]),
    ],
)
def test_scripts_without_spaces_are_found_by_pairs(text: str, pairs: list[str]) -> None:
    """A word in the middle of a run of characters is found, whatever stands around it."""
    assert set(pairs) <= set(split_words(text))


def test_korean_is_not_taken_for_chinese() -> None:
    """Single characters are words in Chinese only."""
    assert split_words("커피를") == ["커피", "피를"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CAFÉ", "cafe"),
        ("Straße", "STRASSE"),
        ("\uff26\uff35\uff2c\uff2c", "full"),
        ("cafe\u0301", "café"),
        ("Привет", "привет"),
        ("ｶﾞ行", "ガ行"),
    ],
)
def test_width_case_and_accents_do_not_matter(one: str, other: str) -> None:
    """What differs only in how it is written is the same word."""
    assert split_words(one) == split_words(other) != []


def test_vowel_signs_do_not_break_a_word() -> None:
    """A Hindi word is one word, with its combining signs."""
    assert split_words("हिन्दी में") == ["हिन्दी", "में"]


@pytest.mark.parametrize("text", ["", " \n", "?!…", "\0", "\ud800", "\u0301"])
def test_a_text_without_words_has_none(text: str) -> None:
    """Nothing is found by nothing."""
    assert [word for word in split_words(text) if word.strip("\u0301")] == []


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_has_words_and_the_same_again(text: str) -> None:
    """Whatever the text holds, nothing is raised, and upper case changes no ASCII word."""
    assert all(split_words(text))
    if text.isascii():
        assert split_words(text.upper()) == split_words(text)


def test_an_endless_word_is_no_burden() -> None:
    """A megabyte without a space is one word, taken as it is."""
    assert split_words("x" * 1_000_000) == ["x" * 1_000_000]


def test_threads_do_not_disturb_each_other() -> None:
    """Stems made at the same moment in several threads are the right ones."""
    found: list[list[str]] = []
    texts = [f"running walkers {'z' * length}ings" for length in range(1, 30)]
    threads = [
        threading.Thread(target=lambda: found.append([w for t in texts for w in split_words(t)]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[w for t in texts for w in split_words(t)]] * 4


def test_without_the_stemmer_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The missing package is named, with the extra that brings it."""
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    monkeypatch.setattr(module, "_own", threading.local())
    module._stem.cache_clear()
    with pytest.raises(MissingExtraError, match=r"goldfish\[semantic\]"):
        split_words("unheard")


def test_nothing_long_is_kept_for_next_time() -> None:
    """What is no word of any language, or no time, is not worth the memory of a cache."""
    tracemalloc.start()
    for number in range(20):
        huge = f"{number}-" + "x" * 100_000
        assert len(split_words(huge)) == 3
        assert parse_time(huge) is None
        assert math.isnan(find_moment({"at": huge}))
        assert are_alike(huge, huge)
    del huge
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 1_000_000

"""When two texts are the same fact, and when they are not."""

import pytest

from goldfish.stores.facts.identity import identity


@pytest.mark.parametrize(
    "other",
    ["i live in berlin", "I  LIVE\tin\nBerlin.", " I live in \uff22erlin ", "I live in Berlin ."],
)
def test_case_width_spaces_and_one_full_stop_do_not_count(other: str) -> None:
    """What differs only in these is the same fact."""
    assert identity(other) == identity("I live in Berlin.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order 8892", "order 8893"),
        ("prefers tea over coffee", "prefers coffee over tea"),
        ("the alarm is enabled", "the alarm is disabled"),
        ("allergic to nuts", "not allergic to nuts"),
        ("likes Django", "does not like Django"),
        ("wait.", "wait.."),
        ("I live in Berlin", "My home is in Berlin"),
        ("a b", "ab"),
    ],
)
def test_anything_else_counts(one: str, other: str) -> None:
    """Texts that an embedding finds nearly equal stay two facts."""
    assert identity(one) != identity(other)


def test_any_text_has_an_identity() -> None:
    """NUL, lone surrogates and other scripts are compared as they are."""
    texts = ["\0", "\ud800", "我住在柏林", "Ω", "."]
    assert len({identity(text) for text in texts}) == len(texts)
    assert identity("我住在柏林。") == identity("我住在柏林")
    assert identity("STRASSE") == identity("straße")

"""The people in a conversation, and whom a question names."""

import pytest

from goldfish.stores.retrieval.people import Name, named_in, names_of


def named(query: str, *speakers: str) -> list[Name]:
    """Whom of these the question names."""
    return named_in(query, {name: None for each in speakers for name in names_of(each)})


@pytest.mark.parametrize("query", ["What did Ann Lee do?", "ann lee's boat", "ANN, LEE?"])
def test_a_whole_name_is_found_before_its_parts(query: str) -> None:
    """The longest name comes first, so that nothing of it is left over."""
    assert named(query, "Ann Lee", "Bob") == [("ann", "lee"), ("ann",)]


def test_a_first_name_is_enough() -> None:
    """People are called by the first word of their name."""
    assert named("Where does bob live?", "Ann Lee", "Bob Ray") == [("bob",)]
    assert named("Where is the ray?", "Ann Lee", "Bob Ray") == []


def test_somebody_called_like_a_common_word_needs_the_capital() -> None:
    """Will is meant by "Will" within a question, not by "will"."""
    assert named("When will she come?", "Will") == []
    assert named("Will she come?", "Will") == []
    assert named("What did Will say?", "Will") == [("will",)]


@pytest.mark.parametrize("speaker", ["", " ", "a b c d e", "\ud800", "x" * 1000])
def test_what_is_no_name_names_nobody(speaker: str) -> None:
    """Empty, endless and odd names are nobody's."""
    assert named("What did she say?", speaker) == []

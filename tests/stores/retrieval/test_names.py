"""Names in metadata and of speakers, and which of them a question names."""

import pytest

from goldfish.stores.retrieval.names import (
    Label,
    find_labels,
    find_named,
    find_speakers,
    names_of,
    put_in_first_person,
)


def test_short_texts_in_metadata_are_labels() -> None:
    """Values that a question could name; not numbers, nor whole sentences."""
    metadata = {"speaker": "Ann Lee", "n": 3, "note": "a very long note about many things", "x": ""}
    assert find_labels(metadata) == {("ann", "lee")}


def test_a_question_names_a_label_word_by_word() -> None:
    """Case does not count; part of a word is not a name."""
    known = {("ann",): 1, ("bob", "ray"): 2, ("anniv",): 3}
    question = "Where does ANN's friend Bob Ray live?"
    assert find_named(question, known) == [("bob", "ray"), ("ann",)]
    assert find_named("an anniversary of Bob", known) == []
    assert find_named("", known) == []


def test_a_name_becomes_the_first_person() -> None:
    """As the person who is named would ask."""
    assert put_in_first_person("What is Ann's dog called?", [("ann",)]) == "What is my dog called?"
    assert put_in_first_person("When did ann lee move?", [("ann", "lee")]) == "When did I move?"
    assert put_in_first_person("Annabel moved", [("ann",)]) == "Annabel moved"


def test_only_some_keys_tell_who_speaks() -> None:
    """A city that is named is no reason to ask as if it were asking."""
    assert find_speakers({"Speaker": "Ann", "city": "Berlin", "author": 5}) == {("ann",)}


def named(query: str, *speakers: str) -> list[Label]:
    """Whom of these the question names."""
    return find_named(query, {name: None for each in speakers for name in names_of(each)})


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

"""What metadata add to a fact, and how a question refers to it."""

import math

import pytest

from goldfish.stores.retrieval.names import in_first_person, labels, moment, named, people


def test_short_texts_in_metadata_are_labels() -> None:
    """Values that a question could name; not numbers, nor whole sentences."""
    metadata = {"speaker": "Ann Lee", "n": 3, "note": "a very long note about many things", "x": ""}
    assert labels(metadata) == {("ann", "lee")}


def test_a_question_names_a_label_word_by_word() -> None:
    """Case does not count; part of a word is not a name."""
    known = {("ann",): 1, ("bob", "ray"): 2, ("an",): 3}
    assert named("Where does ANN's friend Bob Ray live?", known) == [("ann",), ("bob", "ray")]
    assert named("an anniversary of Bob", known) == [("an",)]
    assert named("", known) == []


def test_a_name_becomes_the_first_person() -> None:
    """As the person who is named would ask."""
    assert in_first_person("What is Ann's dog called?", [("ann",)]) == "What is my dog called?"
    assert in_first_person("When did ann lee move?", [("ann", "lee")]) == "When did I move?"
    assert in_first_person("Annabel moved", [("ann",)]) == "Annabel moved"


def test_only_some_keys_tell_who_speaks() -> None:
    """A city that is named is no reason to ask as if it were asking."""
    assert people({"Speaker": "Ann", "city": "Berlin", "author": 5}) == {("ann",)}


@pytest.mark.parametrize(
    "value", ["1970-01-02T00:00:00+00:00", "1970-01-02", "1:56 pm on 2 January, 1970"]
)
def test_a_time_in_metadata_is_the_time_of_the_fact(value: str) -> None:
    """As ISO 8601, or as people write a day."""
    assert moment({"topic": "tea", "n": 3, "time": value}) == 86_400


@pytest.mark.parametrize("value", ["", "May", "12 monkeys", "x" * 500 + " 2 May 2020", "8892"])
def test_other_texts_are_no_times(value: str) -> None:
    """A number, or a month without a year, tells no moment."""
    assert math.isnan(moment({"note": value}))

"""Names in a question that metadata know."""

from goldfish.facts.question import in_first_person, labels, named


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

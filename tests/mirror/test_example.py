"""Answers in JSON to prompts that show an example instead of a schema."""

import json

from goldfish.mirror.answers import Answers
from goldfish.mirror.example import answer_by_example
from goldfish.mirror.marks import Marks
from goldfish.mirror.record import Message, Prompt

SAID = "user: My order number is m44d25, please note it.\nassistant: Understood. r89a4a"


def ask(instructions: str, said: str = SAID) -> Prompt:
    return Prompt((Message("system", instructions), Message("user", said)), output={})


def test_each_mark_is_an_entry_of_the_list_that_the_example_has() -> None:
    """The last example that says something counts; an empty one shows nothing."""
    prompt = ask('Return {"facts": ["Likes tea", "Is called Ann"]}, or {"facts": []} if none.')
    assert answer_by_example(prompt, ["m44d25", "r89a4a"]) == {
        "facts": ["user: My order number is m44d25, please note it", "r89a4a"]
    }


def test_entries_that_are_objects_keep_their_words_and_lose_their_references() -> None:
    """Words are names of kinds; sentences are what is to be said."""
    example = {
        "memory": [{"text": "Likes green tea", "attributed_to": "user", "linked": ["an-id"]}]
    }
    made = answer_by_example(ask(json.dumps(example)), ["m44d25"])
    text = "user: My order number is m44d25, please note it"
    assert made == {"memory": [{"text": text, "attributed_to": "user", "linked": []}]}


def test_without_an_example_there_is_an_object_with_the_marks() -> None:
    """A conversation in JSON is no example: it has marks."""
    prompt = ask('Facts of {"said": ["My name is m44d25"]} as JSON.')
    assert answer_by_example(prompt, ["m44d25"]) is None
    answer = Answers(Marks()).answer(prompt, is_main=False)
    assert "m44d25" in json.loads(answer.text)["text"]

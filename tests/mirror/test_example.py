"""Answers in JSON to prompts that show an example instead of a schema."""

import json

import pytest

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


@pytest.mark.parametrize(
    "instructions",
    [
        'Extract facts as JSON: {"facts": ["..."]}',
        'Return {"facts": []}',
        'Answer with {"facts": ["fact1", "fact2"]} and nothing else.',
        'Return JSON: {"facts": [...]}',
        'Return a JSON object with the key "facts", a list of strings.',
        "Reply in JSON with a `facts` field.",
    ],
)
def test_a_sketch_of_the_answer_is_followed(instructions: str) -> None:
    """As people write it in a prompt: no schema, no sentence, often no JSON."""
    made = answer_by_example(ask(instructions), ["m44d25"])
    assert made == {"facts": ["user: My order number is m44d25, please note it"]}


def test_a_sketch_keeps_words_that_are_no_placeholders() -> None:
    """A kind must be one that the agent knows."""
    prompt = ask('Answer as {"topic": "billing", "answer": "..."}.')
    made = answer_by_example(prompt, ["r89a4a"], "r00001")
    assert made == {"topic": "billing", "answer": "r89a4a r00001"}
    made = answer_by_example(ask('Route: {"topic": "billing"}'), ["r89a4a"])
    assert made == {"topic": "billing", "text": "r89a4a"}

"""Ids that are made of a store's own names are those that it would confuse."""

from random import Random

from goldfish.catalogue.isolation.storages import make_clashing_ids
from goldfish.harness.client import find_foreign
from goldfish.history import Call, History
from goldfish.stress.workload import Workload


def test_an_id_makes_the_name_of_another_key() -> None:
    """The key of the texts of S is the key of the messages of S:texts."""
    ids = list(make_clashing_ids("S1", ["chat:S1", "chat:S1:texts", "chat:index"]))
    assert ids[:2] == ["S1:texts", "index"]


def test_names_that_say_nothing_of_a_session_make_ids_too() -> None:
    """A store that hashes its ids may still have a name that an id can be."""
    assert list(make_clashing_ids("S1", ["a1b2", "lock"])) == ["a1b2", "lock"]


def test_what_only_another_session_was_given_is_foreign() -> None:
    """What this session was given too is its own, and a text without a tag proves nothing."""
    both, only, untagged = "[ISO01-1] a", "[ISO01-2] b", "yes"
    given = {"x": [both], "y": [both, only, untagged]}
    calls = [Call("here", session, "add", said, None, 0, 1) for session, said in given.items()]
    assert find_foreign(History(calls), "x", [both, only, untagged, "z"]) == [only]


def test_each_message_of_a_large_batch_has_a_name_of_its_own() -> None:
    """Beyond the letters of the alphabet, by its number."""
    workload = Workload(operations=4, batch=90, least=80, padding=30, mix={"add": 1})
    plan = workload.plan(Random(7))
    contents = [content for operation in plan for content in operation.value]
    assert len({content.split("]")[0] for content in contents}) == len(contents) >= 4 * 80
    assert min(map(len, contents)) > 30

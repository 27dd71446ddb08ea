"""A real Mem0 in the place of the one that a project makes: no key, no network."""

from pathlib import Path

import pytest

from goldfish.embedding import why_not
from goldfish.errors import UsageError
from tests.packages import Lazily, needs

pytestmark = needs("mem0ai")
testing = Lazily("goldfish.testing")


needs_model = pytest.mark.skipif(bool(why_not()), reason="the model is not installed")


@needs_model
def test_whoever_makes_a_memory_gets_the_one_that_is_open(tmp_path: Path) -> None:
    """By any configuration, before it was opened or after; texts are stored as they are said."""
    offline = testing.OfflineMem0()
    early = offline.Memory.from_config({"llm": {"provider": "openai"}})
    with offline.open(tmp_path):
        early.add("Ann sails", user_id="ann")
        found = offline.Memory().search("sails", filters={"user_id": "ann"})
    assert [each["memory"] for each in found["results"]] == ["Ann sails"]


def test_a_memory_that_is_not_open_says_so() -> None:
    """And not that an attribute is missing."""
    with pytest.raises(UsageError, match="within `with offline"):
        _ = testing.OfflineMem0().Memory().vector_store

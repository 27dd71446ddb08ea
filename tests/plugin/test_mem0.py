"""The fixture ``mem0_client``: a real Mem0, empty for each test, that asks nobody outside."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from goldfish.errors import ModelNotFoundError, UsageError
from goldfish.integrations.mem0.client import Mem0Client, fresh
from goldfish.integrations.mem0.offline import Memory

ANN = {"user_id": "ann"}


class OneFact:
    """A language model that always finds the same fact."""

    def generate_response(self, *arguments: Any, **options: Any) -> str:
        """As Mem0's prompt asks for it."""
        return json.dumps({"memory": [{"id": "0", "text": "Ann plays the violin"}]})


@pytest.mark.parametrize("turn", ["first", "second"])
def test_each_test_has_a_mem0_of_its_own(mem0_client: Mem0Client, turn: str) -> None:
    """What one test stores, no other finds."""
    assert mem0_client.list_facts("ann") == []
    mem0_client.remember("ann", f"Ann was here the {turn} time")
    assert len(mem0_client.list_facts("ann")) == 1


def test_it_is_the_real_mem0(mem0_client: Mem0Client) -> None:
    """With the API of the library, for the code that is tested."""
    assert isinstance(mem0_client, Memory)
    (added,) = mem0_client.add("I live in Berlin", user_id="ann", infer=False)["results"]
    (found,) = mem0_client.search("Where is my home?", filters=ANN)["results"]
    assert (found["id"], found["memory"]) == (added["id"], "I live in Berlin")


def test_facts_are_found_by_what_they_mean(mem0_client: Mem0Client) -> None:
    """The model is the real one: no word of the question is in the fact that it finds first."""
    for text in ("Ann is allergic to peanuts", "Ann drives an old car", "Ann's cat is called Tom"):
        mem0_client.remember("ann", text, metadata={"source": "chat"})
    first, *_ = mem0_client.recall("ann", "Which food makes her ill?", filter={"source": "chat"})
    assert first.fact.text == "Ann is allergic to peanuts"
    assert mem0_client.recall("ben", "Which food makes her ill?") == []


def test_without_a_language_model_nothing_is_made_up(mem0_client: Mem0Client) -> None:
    """What needs one is refused with what to do, and nothing is stored."""
    with pytest.raises(UsageError, match="infer=False"):
        mem0_client.add("I play the violin", user_id="ann")
    assert mem0_client.list_facts("ann") == []


def test_a_test_can_bring_its_own_language_model(mem0_client: Mem0Client) -> None:
    """Then Mem0 extracts facts by it, as in production."""
    mem0_client.llm = OneFact()
    mem0_client.add("I play the violin", user_id="ann")
    assert [fact.text for fact in mem0_client.list_facts("ann")] == ["Ann plays the violin"]


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """The directory goes with the test, and the environment is as it was."""
    before = dict(os.environ)
    for name in ("one", "two"):
        with fresh(tmp_path / name, tmp_path / "template") as client:
            client.remember("ann", "Ann was here")
            assert client.list_facts("ann")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["template"]
    assert dict(os.environ) == before


def test_a_test_that_fails_still_closes_it(tmp_path: Path) -> None:
    """Qdrant holds a lock, which the next one would meet."""
    with pytest.raises(ZeroDivisionError), fresh(tmp_path / "one", tmp_path / "template"):
        raise ZeroDivisionError
    with fresh(tmp_path / "one", tmp_path / "template") as client:
        assert client.list_facts("ann") == []


def test_a_missing_model_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that gets it."""
    monkeypatch.setenv("GOLDFISH_MODEL", str(tmp_path / "nowhere"))
    with pytest.raises(ModelNotFoundError), fresh(tmp_path / "one", tmp_path / "template"):
        pass


def test_a_missing_package_is_told_in_one_sentence(pytester: pytest.Pytester) -> None:
    """Without a traceback through strangers' imports."""
    pytester.makeconftest("import sys; sys.modules['mem0'] = None")
    pytester.makepyfile("def test_it(mem0_client): pass")
    ran = pytester.runpytest_subprocess("-p", "no:asyncio", "-p", "no:anyio")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["mem0 is not installed: pip install 'goldfish[[]mem0[]]'"])
    for more in ("*Traceback*", "*During handling*"):
        ran.stdout.no_fnmatch_line(more)

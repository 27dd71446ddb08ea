"""``goldfish init --mcp``: a map that is guessed, and a file that checks the server by it."""

from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.errors import TargetError
from goldfish.mcp.answers import Answer
from goldfish.mcp.guessing import Guess, find_places, guess_map, learn_reading
from goldfish.targets.names import resolve
from tests.mcp.server import TOOLS, describe
from tests.mcp.targets import spell
from tests.packages import needs

pytestmark = needs("mcp")


def test_the_file_that_is_written_is_a_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is started once, and told one fact, which shows where facts are."""
    monkeypatch.chdir(tmp_path)
    assert run_command(["init", "--mcp", spell("right")]) == 0
    said = capsys.readouterr().out
    assert "list_memories returned the fact at memories[].text." in said
    written = (tmp_path / "test_mcp_memory.py").read_text()
    assert "'facts': 'memories[]'" in written
    assert resolve(f"{tmp_path}/test_mcp_memory.py:memory").name.startswith("mcp:")
    assert run_command(["init", "--mcp", spell("right")]) == 2
    assert "already exists" in capsys.readouterr().err


def test_prose_is_written_as_containment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody guesses a pattern."""
    monkeypatch.chdir(tmp_path)
    assert run_command(["init", "--mcp", spell("prose")]) == 0
    assert "contains=True" in (tmp_path / "test_mcp_memory.py").read_text()


@pytest.mark.parametrize("choices", [{"enum": ["task", "general"]}, {}])
def test_what_a_tool_requires_beside_the_text_is_made_up(choices: dict[str, list[str]]) -> None:
    """A heading of its own, and a category; the shorter of two names is the plainer."""
    required = {
        "type": {"type": "string", **choices},
        "title": {"type": "string"},
        "content": {"type": "string"},
    }
    schema = {"type": "object", "properties": required, "required": list(required)}
    by_id = {"properties": {"memory_id": {"type": "string"}}, "required": ["memory_id"]}
    query = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
    tools = {
        "store_memory": {"inputSchema": schema},
        "recall_memories": {"inputSchema": query},
        "get_related_memories": {"inputSchema": by_id},
        "get_memory": {"inputSchema": by_id},
    }
    guess = guess_map(tools, "x")
    made = {"content": "{text}", "type": "general", "title": "{new}"}
    assert guess.tool_map["remember"] == {"tool": "store_memory", "arguments": made}
    assert guess.tool_map["get_fact"]["tool"] == "get_memory"
    assert "store_memory requires type, title: look at what it gets." in guess.remarks


def test_a_tool_that_does_not_return_the_fact_is_left_out() -> None:
    """If another one does: a list of recent activity is not a list of facts."""
    tools = {name: {"tool": name} for name in ("add", "search", "recent")}
    guess = Guess(dict(zip(("remember", "recall", "list_facts"), tools.values(), strict=True)))
    answers = {
        "recall": Answer("search", ["tea"], '["tea"]'),
        "list_facts": Answer("recent", "1 memory", "1 memory"),
    }
    learn_reading(guess, answers, "tea")
    assert set(guess.tool_map) == {"remember", "recall"}


def test_tools_are_chosen_by_their_names_and_parameters() -> None:
    """What deletes all is not taken for what deletes one."""
    guess = guess_map({each["name"]: each for each in TOOLS}, "x")
    assert {name: each["tool"] for name, each in guess.tool_map.items()} == {
        "remember": "add_memory",
        "list_facts": "list_memories",
        "forget": "delete_memory",
        "forget_all": "delete_all",
    }


def test_a_server_without_a_user_is_noted() -> None:
    """Each user gets a server of her own."""
    tools = [describe("store", "content"), describe("search", "query"), describe("ping")]
    guess = guess_map({each["name"]: each for each in tools}, "x")
    assert guess.remarks == [
        "Not in the map: ping.",
        "No tool takes a user: each user gets a server of her own.",
    ]


def test_tools_that_do_not_remember_are_refused() -> None:
    """With what there is, and what to do."""
    with pytest.raises(TargetError, match=r"no tools of 'x' look like remembering .* ping; write"):
        guess_map({"ping": describe("ping")}, "x")


def test_the_path_to_a_fact_is_seen_in_an_answer() -> None:
    """Also within JSON in a text; an equal text is nearer than one that contains it."""
    value = {"note": "saw tea", "result": '{"found": [{"id": 1, "memory": "tea"}]}'}
    assert next(find_places(value, "tea")) == ("result.found[].memory", "tea")
    guess = Guess({"remember": {"tool": "add"}, "recall": {"tool": "search"}})
    learn_reading(guess, {"recall": Answer("search", value, "")}, "tea")
    assert guess.tool_map["recall"] == {
        "tool": "search",
        "facts": "result.found[]",
        "text": "memory",
        "id": "id",
    }

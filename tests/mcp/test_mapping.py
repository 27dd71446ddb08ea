"""Maps of tools: what is wrong with one is said before anything is checked."""

from typing import Any

import pytest

from goldfish.errors import TargetError
from goldfish.mcp.known import GRAPH, KNOWN
from goldfish.mcp.mapping import make_map
from goldfish.mcp.register import Register
from goldfish.mcp.schemas import complete_map, fits
from goldfish.mcp.templates import fill
from tests.mcp.server import TOOLS

OFFERED = {each["name"]: each for each in TOOLS}
SHORT = {"remember": "add_memory", "list_facts": "list_memories"}


def test_arguments_are_made_from_the_schema_by_the_names_of_its_parameters() -> None:
    """A tool's name is enough where they say what they mean."""
    complete = complete_map(make_map({**SHORT, "forget": "delete_memory"}), OFFERED)
    assert complete.remember[0].arguments == {"user_id": "{user}", "text": "{text}"}
    assert complete.steps("forget")[0].arguments == {"user_id": "{user}", "memory_id": "{id}"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({**SHORT, "recall": "search"}, "has no tool 'search', which recall= names: it has add_m"),
        (
            {**SHORT, "remember": {"tool": "add_memory", "arguments": {"text": "{text}"}}},
            "'add_memory' requires 'user_id', which remember= does not pass: .* text: string",
        ),
        (
            {**SHORT, "list_facts": {"tool": "list_memories", "arguments": {"user": "{user}"}}},
            "'list_memories' requires 'user_id'",
        ),
    ],
)
def test_a_map_that_does_not_fit_the_server_says_where(given: dict[str, Any], message: str) -> None:
    """The tool that is missing, or the parameter, and what there is."""
    with pytest.raises(TargetError, match=message):
        complete_map(make_map(given), OFFERED)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"remember": "add"}, "needs recall= or list_facts="),
        ({**SHORT, "recall": {"tool": "x", "argument": {}}}, "wrong at recall.argument"),
        ({**SHORT, "facts": "results[0]"}, r"'results\[0\]' is not a path"),
        ({**SHORT, "pattern": "- (.*)"}, r"pattern= needs a group \(\?P<text>"),
        ({**SHORT, "pattern": "(?P<text>"}, "is not a regular expression"),
        (
            {**SHORT, "forget": {"tool": "x", "arguments": {"id": "{text}"}}},
            r"forget= of x knows \{id\}, \{user\} \(got \{text\}\)",
        ),
    ],
)
def test_a_map_that_is_wrong_in_itself_names_the_place(given: dict[str, Any], message: str) -> None:
    """One sentence, before a server is started."""
    with pytest.raises(TargetError, match=message):
        make_map(given)


def test_every_map_of_a_known_server_is_right_in_itself() -> None:
    """And the map of a knowledge graph does not fit other servers."""
    assert all(make_map(each.tool_map) for each in KNOWN)
    assert not fits(make_map(GRAPH), OFFERED)


def test_a_template_is_filled_in_once() -> None:
    """Braces in a fact are the fact's own; a lone placeholder keeps the kind of its value."""
    values = {"text": "{user} {x}", "user": "ann", "limit": 5}
    assert fill({"a": ["{text}", "of {user}"], "n": "{limit}", "b": "{c}"}, values) == {
        "a": ["{user} {x}", "of ann"],
        "n": 5,
        "b": "{c}",
    }


def test_prose_is_asked_only_for_what_was_told(tmp_path: Any) -> None:
    """As often as it is there, and not for a part of something longer."""
    register = Register(tmp_path / "told")
    assert register.find_in("tea") == []
    for text in ("likes tea", "likes tea with milk", 'said "no"', "gone"):
        register.add(text)
    prose = 'likes tea with milk; said "no"; and \\"likes tea\\"; said \\"no\\"'
    found = ["likes tea with milk", 'said "no"', "likes tea", 'said "no"']
    assert register.find_in(prose) == found

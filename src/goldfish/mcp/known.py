"""Servers that goldfish knows: their maps, and the places where they keep what they are told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from goldfish.errors import TargetError
from goldfish.mcp.mapping import ToolMap, make_map
from goldfish.mcp.schemas import fits

# Entities and observations: a user is an entity, and what is known about her its observations. An
# observation has no id but its own words.
GRAPH: dict[str, Any] = {
    "remember": [
        {
            "tool": "create_entities",
            "arguments": {
                "entities": [{"name": "{user}", "entityType": "person", "observations": []}]
            },
        },
        {
            "tool": "add_observations",
            "arguments": {"observations": [{"entityName": "{user}", "contents": ["{text}"]}]},
        },
    ],
    "list_facts": {"tool": "open_nodes", "arguments": {"names": ["{user}"]}},
    "recall": {"tool": "search_nodes", "arguments": {"query": "{query}"}},
    "forget": {
        "tool": "delete_observations",
        "arguments": {"deletions": [{"entityName": "{user}", "observations": ["{id}"]}]},
    },
    "forget_all": {"tool": "delete_entities", "arguments": {"entityNames": ["{user}"]}},
    "facts": "entities[name={user}].observations[]",
    "id": "",
}


@dataclass(frozen=True)
class Known:
    """A server that is published under a name."""

    package: str
    tool_map: Mapping[str, Any]
    environment: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, Any] = field(default_factory=dict)


KNOWN = (Known("@modelcontextprotocol/server-memory", GRAPH),)


def find_known(package: str) -> Known | None:
    """Return what is known of a package."""
    return next((each for each in KNOWN if each.package == package), None)


def choose_map(tools: Mapping[str, Mapping[str, Any]], command: str) -> ToolMap:
    """Return the first map that fits the tools of a server; a TargetError says what to do."""
    maps = (make_map(each.tool_map) for each in KNOWN)
    chosen = next((each for each in maps if fits(each, tools)), None)
    if chosen is None:
        there = ", ".join(sorted(tools)) or "none"
        raise TargetError(
            f"goldfish does not know what the tools of {command!r} mean: {there}; write a map: "
            f"goldfish init --mcp {command!r}"
        )
    return chosen

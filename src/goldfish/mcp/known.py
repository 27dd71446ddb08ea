"""Servers that goldfish knows: their maps, and the places where they keep what they are told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from goldfish.errors import TargetError
from goldfish.mcp.mapping import ToolMap, make_map
from goldfish.mcp.schemas import fits

# Entities and observations: a user is an entity, and what is known about her its observations. An
# observation has no id but its own words. A search finds entities, not observations: no recall.
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
    "forget": {
        "tool": "delete_observations",
        "arguments": {"deletions": [{"entityName": "{user}", "observations": ["{id}"]}]},
    },
    "forget_all": {"tool": "delete_entities", "arguments": {"entityNames": ["{user}"]}},
    "facts": "entities[name={user}].observations[]",
    "id": "",
}


# Entities whose observations are replaced as a whole: each fact is an entity, of its user's type.
# A search knows no user, so that others' facts would take the places of hers: no recall.
REPLACED: dict[str, Any] = {
    "remember": {
        "tool": "create_entities",
        "arguments": {
            "entities": [{"name": "{new}", "entityType": "{user}", "observations": ["{text}"]}]
        },
    },
    "list_facts": {"tool": "search_nodes", "arguments": {"query": "{user}", "limit": 50}},
    "forget": {"tool": "delete_entity", "arguments": {"name": "{id}"}},
    "facts": "entities[entityType={user}]",
    "text": "observations[]",
    "id": "name",
    "absent": "Entity not found",
}

# One user's memories in a database; a server is started for each user. By default a memory replaces
# the most similar one, and its metadata come back with more in them.
MESH: dict[str, Any] = {
    "remember": {
        "tool": "remember",
        "arguments": {"text": "{text}", "on_conflict": "keep_both"},
        "facts": "",
        "id": "memory_id",
    },
    "recall": {"tool": "recall", "arguments": {"query": "{query}", "k": "{limit}"}},
    "revise": {"tool": "update_memory", "arguments": {"memory_id": "{id}", "text": "{text}"}},
    "forget": {"tool": "forget", "arguments": {"memory_id": "{id}"}},
    "forget_all": {"tool": "forget_all", "arguments": {}},
    "facts": "memories[]",
    "text": "text",
    "id": "id",
}

# Markdown files of a project, which are read as they are: one project for each user.
BANK: dict[str, Any] = {
    "begin": {"tool": "initialize_memory_bank", "arguments": {"path": "{path}"}},
    "remember": {
        "tool": "log_decision",
        "arguments": {"title": "note", "context": "goldfish", "decision": "{text}"},
    },
    "list_facts": {
        "tool": "read_memory_bank_file",
        "arguments": {"filename": "decision-log.md"},
    },
    "contains": True,
}


@dataclass(frozen=True)
class Known:
    """A server that is published under a name, and the command that people start it with."""

    package: str
    command: str
    tool_map: Mapping[str, Any]
    environment: Mapping[str, str] = field(default_factory=dict)
    declared: Mapping[str, Any] = field(default_factory=dict)


_FIFTY = "search_nodes returns 50 entities at most, as its schema says"
_OWN_NAME = "each fact is an entity with a name of its own, by the map"

KNOWN = (
    Known(
        "@modelcontextprotocol/server-memory",
        "npx -y @modelcontextprotocol/server-memory",
        GRAPH,
    ),
    Known(
        "@itseasy21/mcp-knowledge-graph",
        "npx -y @itseasy21/mcp-knowledge-graph",
        GRAPH,
    ),
    Known(
        "mcp-memory-libsql",
        "npx -y mcp-memory-libsql",
        REPLACED,
        {"LIBSQL_URL": "file:{path}/memory.db"},
        {
            "declines": {
                **dict.fromkeys(("REC13", "REV09"), _FIFTY),
                **dict.fromkeys(("DUP05", "DUP07", "DUP11"), _OWN_NAME),
            },
            # A search sorts by relevance; an observation has 4096 characters at most.
            "lacks": {"equal_facts", "facts_in_order", "large_contents"},
        },
    ),
    Known(
        "@movibe/memory-bank-mcp",
        "npx -y @movibe/memory-bank-mcp --path {path}",
        BANK,
    ),
    Known(
        "memorymesh",
        "uvx --from memorymesh memorymesh-mcp",
        MESH,
        {"MEMORYMESH_PATH": "{path}/memories.db"},
    ),
)


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

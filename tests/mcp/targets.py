"""Test servers as targets."""

import sys
from pathlib import Path
from typing import Any

import goldfish
from goldfish.targets.declaration import Target

SERVER = Path(__file__).with_name("server.py")


def spell(kind: str) -> str:
    """Return the command of a test server."""
    return f"'{sys.executable}' '{SERVER}' {kind}"


def make(kind: str, **more: Any) -> Target:
    """Return a test server as a target."""
    tools: dict[str, Any] = {
        "remember": "add_memory",
        "list_facts": "list_memories",
        "forget": "delete_memory",
        "forget_all": "delete_all",
        "facts": "memories[]",
        "text": "text",
        "id": "id",
        "filters": None,
    }
    return goldfish.adapt.mcp(spell(kind), **{**tools, **more})


right = make("right")
racy = make("racy", forget=None, forget_all=None)
prose = make("prose", facts=None, text=None, id=None, forget=None, contains=True)

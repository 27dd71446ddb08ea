"""Test servers as targets."""

import sys
from pathlib import Path

import goldfish
from goldfish.targets.declaration import Target

SERVER = Path(__file__).with_name("server.py")


def spell(kind: str) -> str:
    """Return the command of a test server."""
    return f"'{sys.executable}' '{SERVER}' {kind}"


def make(kind: str, **more: object) -> Target:
    """Return a test server as a target."""
    tools = {
        "remember": "add_memory",
        "list_facts": "list_memories",
        "forget": "delete_memory",
        "forget_all": "delete_all",
        "facts": "memories[]",
        "text": "text",
        "id": "id",
        "filters": None,
    }
    given = {**tools, **more}
    return goldfish.adapt.mcp(spell(kind), **given)


right = make("right")
racy = make("racy", forget=None, forget_all=None)
prose = make("prose", facts=None, text=None, id=None, forget=None, contains=True)

"""The server beside this file, and what its tools mean."""

import sys
from pathlib import Path

import goldfish

SERVER = Path(__file__).with_name("server.py")

memory = goldfish.adapt.mcp(
    f"'{sys.executable}' '{SERVER}' {{path}}/memory.db",
    remember={"tool": "add_memory", "facts": "", "id": "id"},
    list_facts="list_memories",
    forget="delete_memory",
    forget_all="delete_all",
    facts="memories[]",
    text="text",
    id="id",
)

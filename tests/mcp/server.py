"""A small MCP server for tests, in plain Python: it starts at once, and is wrong as it is told.

``python server.py KIND [FILE]``; the kinds are the functions below.
"""

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

Tool = Callable[[dict[str, Any]], Any]
TEXT = {"type": "string"}


def describe(name: str, *parameters: str) -> dict[str, Any]:
    """Return a tool as servers list it."""
    schema = {
        "type": "object",
        "properties": dict.fromkeys(parameters, TEXT),
        "required": list(parameters),
    }
    return {"name": name, "description": name, "inputSchema": schema}


TOOLS = [
    describe("add_memory", "user_id", "text"),
    describe("list_memories", "user_id"),
    describe("delete_memory", "user_id", "memory_id"),
    describe("delete_all", "user_id"),
]


class Right:
    """Facts in SQLite: one statement for each call."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._run(
            "CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, user TEXT, text TEXT, "
            "UNIQUE (user, text))"
        )

    def _run(self, sql: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(self._path, timeout=30)) as database, database:
            return database.execute(sql, values).fetchall()

    def add_memory(self, given: dict[str, Any]) -> Any:
        values = given["user_id"], given["text"]
        self._run("INSERT OR IGNORE INTO facts (user, text) VALUES (?, ?)", *values)
        return {"ok": True}

    def list_memories(self, given: dict[str, Any]) -> Any:
        found = self._run("SELECT id, text FROM facts WHERE user = ? ORDER BY id", given["user_id"])
        return {"memories": [{"id": str(name), "text": text} for name, text in found]}

    def delete_memory(self, given: dict[str, Any]) -> Any:
        values = given["user_id"], given["memory_id"]
        self._run("DELETE FROM facts WHERE user = ? AND id = ?", *values)
        return {"ok": True}

    def delete_all(self, given: dict[str, Any]) -> Any:
        self._run("DELETE FROM facts WHERE user = ?", given["user_id"])
        return {"ok": True}


class Racy(Right):
    """Facts in a JSON file, which each call reads and writes as a whole."""

    def __init__(self, path: str) -> None:
        self._file = Path(path)

    def _read(self) -> dict[str, list[str]]:
        try:
            found: dict[str, list[str]] = json.loads(self._file.read_text())
        except FileNotFoundError:
            found = {}
        return found

    def add_memory(self, given: dict[str, Any]) -> Any:
        facts = self._read()
        time.sleep(0.02)
        facts.setdefault(given["user_id"], []).append(given["text"])
        fresh = self._file.with_suffix(f".{time.monotonic_ns()}")
        fresh.write_text(json.dumps(facts))
        fresh.replace(self._file)
        return {"ok": True}

    def list_memories(self, given: dict[str, Any]) -> Any:
        found = self._read().get(given["user_id"], [])
        return {"memories": [{"id": each, "text": each} for each in found]}


class Prose(Right):
    """The right server, whose answers are sentences."""

    def list_memories(self, given: dict[str, Any]) -> Any:
        found = [each["text"] for each in super().list_memories(given)["memories"]]
        return "\n".join(["I remember:", *(f"* {each}" for each in found)])


def serve(memory: Right) -> None:
    """Answer requests until standard input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        try:
            answer = {"result": respond(memory, asked["method"], asked.get("params") or {})}
        except KeyError as error:
            answer = {"error": {"code": -32601, "message": str(error)}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)


def respond(memory: Right, method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        about = {"name": "test", "version": "1"}
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method != "tools/call":
        raise KeyError(method)
    call: Tool = getattr(memory, params["name"])
    try:
        said = call(params["arguments"])
    except Exception as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    text = said if isinstance(said, str) else json.dumps(said)
    return {"content": [{"type": "text", "text": text}]}


def main(kind: str, path: str = "memory.db") -> None:
    """Be a server of this kind."""
    if kind == "ends":
        print("no database: set DATABASE_URL", file=sys.stderr)
        sys.exit(3)
    if kind == "chatty":
        print("Welcome to the memory server!", flush=True)
        time.sleep(600)
    if kind == "silent":
        time.sleep(600)
    if kind == "greeting":  # a line that is not a message, before a server that works
        print("Welcome to the memory server!", flush=True)
    memories = {"racy": Racy, "prose": Prose}
    serve(memories.get(kind, Right)(path))


if __name__ == "__main__":
    main(*sys.argv[1:])

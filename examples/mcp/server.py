"""An MCP memory server over SQLite that several clients may start on one file."""

import os
import sqlite3
import sys
from contextlib import closing

try:
    from mcp.server.mcpserver import MCPServer
except ModuleNotFoundError:  # mcp 1
    from mcp.server.fastmcp import FastMCP as MCPServer

PATH = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MEMORY_DB", "memory.db")
SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    id INTEGER PRIMARY KEY, user TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (user, text)
)
"""
server = MCPServer("sqlite-memory")


def run(sql: str, *values: object) -> list[sqlite3.Row]:
    """Run one statement in a transaction of its own; other processes wait for it."""
    with closing(sqlite3.connect(PATH, timeout=30)) as database, database:
        database.row_factory = sqlite3.Row
        return database.execute(sql, values).fetchall()


@server.tool()
def add_memory(user_id: str, text: str) -> dict[str, int]:
    """Remember a fact about a user; one that is known is not stored again."""
    run("INSERT OR IGNORE INTO facts (user, text) VALUES (?, ?)", user_id, text)
    (row,) = run("SELECT id FROM facts WHERE user = ? AND text = ?", user_id, text)
    return {"id": row["id"]}


@server.tool()
def list_memories(user_id: str) -> dict[str, list[dict[str, str | int]]]:
    """List the facts about a user, oldest first."""
    rows = run("SELECT id, text FROM facts WHERE user = ? ORDER BY id", user_id)
    return {"memories": [dict(row) for row in rows]}


@server.tool()
def delete_memory(user_id: str, memory_id: int) -> bool:
    """Forget a fact about a user."""
    run("DELETE FROM facts WHERE user = ? AND id = ?", user_id, memory_id)
    return True


@server.tool()
def delete_all(user_id: str) -> bool:
    """Forget all that is known about a user."""
    run("DELETE FROM facts WHERE user = ?", user_id)
    return True


if __name__ == "__main__":
    run("PRAGMA journal_mode = WAL")
    run(SCHEMA)
    server.run()

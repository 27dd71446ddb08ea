"""Published MCP memory servers, each started on a directory of its own.

What their documentation says was read in the packages themselves, in November 2026.
"""

from functools import partial

from goldfish.integrations.library import BuiltIn, Library

_target = partial(BuiltIn, module=f"{__name__}.targets", extra="mcp", packages=("mcp",))

MCP = Library(
    name="mcp",
    title="MCP servers",
    extra="mcp",
    distributions=(
        *("@modelcontextprotocol/server-memory", "@itseasy21/mcp-knowledge-graph"),
        *("mcp-memory-libsql", "@movibe/memory-bank-mcp", "memorymesh"),
    ),
    targets=(
        _target(
            "mcp-server-memory",
            "server_memory",
            "@modelcontextprotocol/server-memory of npm, on a JSONL file",
            "persistent memory, which lets Claude remember information about the user across chats "
            "(its README), without a limit",
        ),
        _target(
            "mcp-knowledge-graph",
            "knowledge_graph",
            "@itseasy21/mcp-knowledge-graph of npm, on a JSONL file",
            "an improved implementation of persistent memory (its README), without a limit",
        ),
        _target(
            "mcp-memory-libsql",
            "memory_libsql",
            "mcp-memory-libsql of npm, on a file of libSQL",
            "a high-performance, persistent memory system; a search returns 50 entities at most, "
            "and an observation has 4096 characters at most (its README and schemas)",
        ),
        _target(
            "mcp-memory-bank",
            "memory_bank",
            "@movibe/memory-bank-mcp of npm, on Markdown files",
            "structured repositories of information that help to maintain context (its README), "
            "without a limit",
        ),
        _target(
            "mcp-memorymesh",
            "memorymesh",
            "memorymesh of PyPI, on a file of SQLite",
            "persistent memory across sessions, for several tools (its README), without a limit",
        ),
    ),
    adapters={"mcp": "adapter"},
)

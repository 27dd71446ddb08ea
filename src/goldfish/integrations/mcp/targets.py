"""Published servers as targets, started as their documentation says; each is known by its package.

A server is data, not code: what is declared here has a name and a sentence, and nothing to run.
"""

from collections.abc import Callable

from goldfish.integrations.mcp import MCP
from goldfish.mcp.declaration import make_server
from goldfish.mcp.known import find_known
from goldfish.targets.declaration import Target


def _declare(name: str, package: str) -> Callable[[Callable[[], None]], Target]:
    known = find_known(package)
    assert known is not None
    target = MCP.target(name, **known.declared)(make_server(known.command, known))
    return lambda described: target


@_declare("mcp-server-memory", "@modelcontextprotocol/server-memory")
def server_memory() -> None:
    """A JSONL file that each call reads and writes as a whole."""


@_declare("mcp-knowledge-graph", "@itseasy21/mcp-knowledge-graph")
def knowledge_graph() -> None:
    """The same file, written by an older version of the same code."""


@_declare("mcp-memory-libsql", "mcp-memory-libsql")
def memory_libsql() -> None:
    """Tables of libSQL in a file."""


@_declare("mcp-memory-bank", "@movibe/memory-bank-mcp")
def memory_bank() -> None:
    """Markdown files of a project, of which the log of decisions is used."""


@_declare("mcp-memorymesh", "memorymesh")
def memorymesh() -> None:
    """A table of SQLite for one user."""

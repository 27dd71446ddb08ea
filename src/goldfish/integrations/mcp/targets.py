"""Published servers as targets, started as their documentation says."""

from goldfish.integrations.mcp import MCP
from goldfish.mcp.declaration import make_server
from goldfish.mcp.known import find_known
from goldfish.targets.declaration import Target


def _declare(name: str, package: str) -> Target:
    known = find_known(package)
    assert known is not None
    return MCP.target(name, **known.declared)(make_server(known.command, known))


server_memory = _declare("mcp-server-memory", "@modelcontextprotocol/server-memory")
knowledge_graph = _declare("mcp-knowledge-graph", "@itseasy21/mcp-knowledge-graph")
memory_libsql = _declare("mcp-memory-libsql", "mcp-memory-libsql")
memory_bank = _declare("mcp-memory-bank", "@movibe/memory-bank-mcp")
memorymesh = _declare("mcp-memorymesh", "memorymesh")

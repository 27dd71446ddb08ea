"""Memory servers that speak MCP: how one is started, what its tools mean, and the store they make.

May import targets, services, the patience and the errors of the harness, and the modules at the
root; the package ``mcp`` is imported where a server is talked to, and by ``connection`` alone.
"""

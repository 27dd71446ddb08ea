"""``goldfish.adapt.mcp``: a server of MCP as a target, by a map of its tools."""

from goldfish.mcp.declaration import mcp

__all__ = ["mcp"]

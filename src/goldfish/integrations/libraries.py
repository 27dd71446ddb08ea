"""The table of libraries: every list of libraries, targets, adapters or starters is made of it."""

from goldfish.integrations.adk import ADK
from goldfish.integrations.deepagents import DEEPAGENTS
from goldfish.integrations.goldfish import GOLDFISH
from goldfish.integrations.langchain import LANGCHAIN
from goldfish.integrations.langgraph import LANGGRAPH
from goldfish.integrations.library import BuiltIn, Library
from goldfish.integrations.llamaindex import LLAMAINDEX
from goldfish.integrations.mcp import MCP
from goldfish.integrations.mem0 import MEM0
from goldfish.integrations.openai_agents import OPENAI_AGENTS
from goldfish.integrations.pydantic_ai import PYDANTIC_AI

# `goldfish init` prefers the first that fits: what is made for remembering before what is made for
# everything.
LIBRARIES = (
    *(MEM0, LANGGRAPH, OPENAI_AGENTS, LLAMAINDEX, ADK, LANGCHAIN),
    *(DEEPAGENTS, PYDANTIC_AI, MCP),
)

BUILT_INS: dict[str, BuiltIn] = {
    each.name: each
    for library in (GOLDFISH, *LIBRARIES)
    for each in (*library.targets, *library.dropins)
}


def library_of(target: str) -> Library:
    """Return the library whose own memory a target is; goldfish, if it is none of a library."""
    owners = (library for library in LIBRARIES for each in library.targets if each.name == target)
    return next(owners, GOLDFISH)

"""Libraries that remember and for which goldfish has no target: named, with what fits instead."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goldfish.cli.init.project import Project

# Imports that goldfish knows as a memory, by the adapter that takes it; empty: there is none.
PATTERNS = {
    r"langgraph\.checkpoint\.(?!base|memory|sqlite|postgres|redis|serde)\w+.*": "langgraph",
    r"langgraph_checkpoint_\w+.*Saver\w*": "langgraph",
    r"langgraph\.store\.(?!base|memory|sqlite|postgres)\w+.*": "langgraph_store",
    r"langchain_community\.chat_message_histories\.(?:.*\.)?(?!SQL|Redis|File|InMemory|Postgres"
    r"|ChatMessageHistory)\w+ChatMessageHistory": "langchain",
    r"langchain_(?!community|core|postgres|classic)\w+\.(?:.*\.)?\w*ChatMessageHistory":
        "langchain",
    r"llama_index\.storage\.chat_store\.(?!redis|sqlite)\w+.*": "llamaindex",
    r"agents\.extensions\.memory\.(?:.*\.)?(?!Redis|SQLAlchemy|Encrypt|AdvancedSQLite|Async)\w+Session":
        "openai_agents",
    r"google\.adk\.sessions\.(?:.*\.)?Vertex\w+": "adk",
    r"mem0\.(?:.*\.)?(Async)?MemoryClient": "",
    r"(zep_cloud|zep_python|letta|letta_client|langmem|cognee|graphiti_core|memobase|supermemory"
    r"|honcho|motorhead|memgpt|memori|memoripy|txtai|cogneehub|hindsight)(\..*)?": "",
    r"(crewai|autogen_core|autogen_agentchat|semantic_kernel|haystack|agno|phi|strands|camel"
    r"|smolagents|griptape)\.(?:.*\.)?\w*([Mm]emory|[Hh]istory|[Ss]torage|Db|Session)\w*": "",
}  # fmt: skip


@dataclass(frozen=True)
class Stranger:
    """An import that goldfish has no target for, where it is, and the adapter that fits."""

    dotted: str
    file: str
    adapter: str

    @property
    def library(self) -> str:
        """The package at the top."""
        return self.dotted.partition(".")[0].partition("_")[0]

    @property
    def name(self) -> str:
        """The class, as the project imports it."""
        return self.dotted.rpartition(".")[2]

    def __str__(self) -> str:
        advice = (
            f"goldfish.adapt.{self.adapter} takes it once you open it"
            if self.adapter
            else "wrap it in a class with add_messages and get_history, or remember and recall"
        )
        return f"goldfish has no target for {self.dotted} (in {self.file}): {advice}."


def find_strangers(project: "Project") -> list[Stranger]:
    """Return the memories of libraries that a project imports and goldfish has no target for."""
    found = []
    for dotted, file in project.imports.items():
        if dotted.partition(".")[0] in project.local:
            continue
        for pattern, adapter in PATTERNS.items():
            if re.fullmatch(pattern, dotted):
                found.append(Stranger(dotted, file, adapter))
                break
    return found


def render_stranger(stranger: Stranger) -> str:
    """Return the test file of a memory that an adapter takes: how to open it is left to fill in."""
    module, _, name = stranger.dotted.rpartition(".")
    per_session = stranger.adapter in {"langchain", "openai_agents"}
    made = f"lambda session_id: {name}(...)" if per_session else f"{name}(...)"
    return f'''"""Checks {name}: one test per promise."""

from {module} import {name}

import goldfish


@goldfish.target(guessed=True)
def memory(sandbox):
    """Open the memory on a storage of its own, as often as goldfish needs it."""
    # GUESS: goldfish has no target for it; fill in how your application opens it, on a server that
    # is for tests, then delete guessed=True above.
    return goldfish.adapt.{stranger.adapter}({made})


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check
'''

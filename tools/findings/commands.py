"""The memories in other languages that the findings are about: commands, and their packages."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from goldfish.integrations import libraries
from goldfish.integrations.library import BuiltIn, Library

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "typescript"  # in which `npm install` ran
PACKAGES = EXAMPLES / "node_modules"
INSTALL = "npm install --legacy-peer-deps in examples/typescript"
_node = partial(BuiltIn, module="")

LANGGRAPH_JS = Library(
    name="langgraph_js",
    title="LangGraph.js",
    extra="",
    distributions=(
        "@langchain/langgraph",
        "@langchain/langgraph-checkpoint",
        "@langchain/langgraph-checkpoint-sqlite",
    ),
    targets=(
        _node("langgraph-js-memory", "langgraph.mjs memory", "MemorySaver, in the process"),
        _node("langgraph-js-sqlite", "langgraph.mjs sqlite", "SqliteSaver, in a file"),
    ),
)
LANGCHAIN_JS = Library(
    name="langchain_js",
    title="LangChain.js",
    extra="",
    distributions=("@langchain/community", "@langchain/core"),
    targets=(
        _node(
            "langchain-js-file",
            "langchain-file.mjs",
            "FileSystemChatMessageHistory of @langchain/community",
        ),
    ),
)
FOREIGN = (LANGGRAPH_JS, LANGCHAIN_JS)
COMMANDS = {each.name: each for library in FOREIGN for each in library.targets}
LIBRARIES = (*libraries.LIBRARIES, *FOREIGN)


def library_of(target: str) -> Library:
    """Return the library whose own memory a target is, in whatever language."""
    owners = (each for each in FOREIGN if target in {known.name for known in each.targets})
    return next(owners, None) or libraries.library_of(target)


def spell_target(name: str) -> str:
    """Return how goldfish is told of a target: a name, or a command."""
    if name not in COMMANDS:
        return name
    return f"cmd:node {EXAMPLES.relative_to(ROOT)}/{COMMANDS[name].factory}"


def find_missing(name: str) -> list[str]:
    """Return the packages of npm that a command lacks."""
    packages = library_of(name).distributions
    return [each for each in packages if not (PACKAGES / each).is_dir()]


def read_versions() -> dict[str, str]:
    """Return the versions of the packages of npm that are installed."""
    files = {
        name: PACKAGES / name / "package.json"
        for library in FOREIGN
        for name in library.distributions
    }
    return {
        name: str(json.loads(file.read_text("utf-8"))["version"])
        for name, file in files.items()
        if file.exists()
    }


@contextmanager
def beside_packages(script: Path) -> Iterator[Path]:
    """Give a copy of a script beside the packages, where node looks for them."""
    with tempfile.TemporaryDirectory() as place:
        os.symlink(PACKAGES, Path(place) / "node_modules")
        copy = Path(place) / script.name
        copy.write_bytes(script.read_bytes())
        yield copy

"""The way through the pages, made of those that are there: a new file needs no entry anywhere."""

from collections.abc import Collection
from pathlib import PurePosixPath

from goldfish.findings.families import FAMILIES
from goldfish.integrations.goldfish import GOLDFISH
from goldfish.integrations.libraries import LIBRARIES

# The pages of a section in the order in which one reads them; others follow by name.
ORDER: dict[str, tuple[str, ...]] = {
    "": ("tutorial", "deciding", "production", "stores", "protocol", "findings"),
    "howto": (
        "own-store",
        "faults",
        "snapshots",
        "facts",
        "ci",
        "baselines",
        "report",
        "replay",
        "langchain",
        "langgraph",
        "langgraph-stores",
        "openai-agents",
        "adk",
        "llamaindex",
        "mcp",
        "agents",
        "state",
        "dropins",
    ),
    "findings": tuple(each.prefix for each in (*LIBRARIES, GOLDFISH)),
    "stories": (
        "mock-that-lied",
        "goldfish-bot",
        "rollback-that-wiped",
        "thirty-percent",
        "killed-tool",
    ),
    "catalogue": ("index", *FAMILIES),
    "reference": ("cli", "pytest", "targets", "api"),
}
CAPTIONS = {
    "": "Begin here",
    "howto": "How to",
    "findings": "Findings",
    "stories": "Incidents",
    "catalogue": "The catalogue",
    "reference": "Reference",
}


def contents(paths: Collection[str]) -> str:
    """The tables of contents, one per section that has pages, for the end of the index."""
    sections = {name: _pages(name, paths) for name in CAPTIONS}
    return "".join(_table(CAPTIONS[name], there) for name, there in sections.items() if there)


def _pages(section: str, paths: Collection[str]) -> list[str]:
    order = ORDER[section]

    def rank(path: str) -> tuple[int, str]:
        stem = PurePosixPath(path).stem
        return (order.index(stem) if stem in order else len(order), path)

    inside = [path for path in paths if str(PurePosixPath(path).parent) == (section or ".")]
    return sorted((path for path in inside if path != "index.md"), key=rank)


def _table(caption: str, paths: list[str]) -> str:
    listed = "\n".join(paths)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"

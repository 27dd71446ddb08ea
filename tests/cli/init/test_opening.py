"""Functions of the project that connect: the file calls them, and only on the sandbox."""

import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from goldfish.cli import run_command
from goldfish.targets.lookup import is_installed

FILE = Path("tests/test_memory.py")
TURNS = """
def save_turn({first}, chat_id, who, text):
    {first}.execute("INSERT INTO turns (chat_id, who, text) VALUES (?, ?, ?)", (chat_id, who, text))
    {first}.commit()

def load_turns({first}, chat_id):
    query = "SELECT who, text FROM turns WHERE chat_id = ? ORDER BY id"
    return {first}.execute(query, (chat_id,)).fetchall()
"""
TABLE = '"CREATE TABLE IF NOT EXISTS turns (id INTEGER PRIMARY KEY, chat_id, who, text)"'
INSERT = '"INSERT INTO turns (chat_id, who, text) VALUES (?, ?, ?)"'
SQLITE = f"import os\nimport sqlite3\n{{opener}}\n{TURNS.format(first='conn')}"
# Functions that connect, and what the file has to say of each.
OPENERS = {
    "a default path": (
        f"""
def connect(path="bot.db"):
    conn = sqlite3.connect(path, timeout=30)
    conn.execute({TABLE})
    return conn
""",
        'Wrapped(storage.connect(path=str(sandbox.path / "memory.db")))',
    ),
    "a path that must be given": (
        f"""
def open_db(where: str) -> sqlite3.Connection:
    conn = sqlite3.connect(where, timeout=30)
    conn.execute({TABLE})
    return conn
""",
        'Wrapped(storage.open_db(where=str(sandbox.path / "memory.db")))',
    ),
    "a constant of the module": (
        f"""
DB_PATH = "bot.db"
def _connection():
    conn = sqlite3.connect(DB_PATH, timeout=30)
    conn.execute({TABLE})
    return conn
""",
        "Wrapped(storage._connection())",
    ),
    "a setting of the environment": (
        f"""
def make_connection():
    conn = sqlite3.connect(os.environ.get("BOT_DB_PATH", "bot.db"), timeout=30)
    conn.execute({TABLE})
    return conn
""",
        "Wrapped(storage.make_connection())",
    ),
    "a block": (
        f"""
from contextlib import contextmanager
@contextmanager
def session(path="bot.db"):
    conn = sqlite3.connect(path, timeout=30)
    conn.execute({TABLE})
    try:
        yield conn
    finally:
        conn.close()
""",
        'with storage.session(path=str(sandbox.path / "memory.db")) as handle:',
    ),
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    for name in ("storage", "tests.test_memory"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def confirm() -> str:
    """Delete guessed=True, as a user does who has looked; return the file."""
    text = FILE.read_text(encoding="utf-8")
    FILE.write_text(text.replace(", guessed=True", ""), encoding="utf-8")
    return text


@pytest.mark.parametrize("opener", OPENERS)
def test_a_function_that_connects_is_given_the_sandbox(
    opener: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its tables are there, and the user's own file is never opened."""
    code, line = OPENERS[opener]
    (project / "storage.py").write_text(SQLITE.format(opener=code))
    assert run_command(["init"]) == 0
    text = confirm()
    assert line in text
    assert "sqlite3" not in text
    capsys.readouterr()
    assert run_command(["check", f"{FILE}:memory", "--only", "ISO01,ORD01", "--seed", "7"]) == 0
    assert "memory: held. 2 promises held." in capsys.readouterr().out
    assert list(project.rglob("bot.db")) == []


@pytest.mark.parametrize("prepare", ["", "def init_db():\n    connect().commit()\n"])
def test_a_function_that_opens_a_path_of_its_own_is_not_called(
    prepare: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says what to change instead."""
    opener = 'def connect():\n    return sqlite3.connect("bot.db")\n'
    (project / "storage.py").write_text(SQLITE.format(opener=opener + prepare))
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert "storage.connect(" not in text
    assert "storage.init_db(" not in text
    assert 'sqlite3.connect(sandbox.path / "memory.db"' in text
    out = " ".join(capsys.readouterr().out.split())
    assert "Fill in: connect (storage.py:3) opens a storage that nothing here can change" in out


NOT_OURS = {
    "a part of a path": 'def connect(name="x"):\n    return sqlite3.connect(f"data/{name}.db")\n',
    "a local variable": """
conn = sqlite3.connect(":memory:")
def commit():
    conn.commit()
def connect():
    conn = sqlite3.connect("bot.db")
    return conn
""",
    "another service": """
from openai import OpenAI
def make_client(base_url="https://api.example.com"):
    client = OpenAI(base_url=base_url)
    return client
""",
    "another type": """
def get_db(path="flags.json") -> dict:
    db = {path: True}
    return db
""",
}


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_would_open_something_else_is_not_called(name: str, project: Path) -> None:
    """A path made of parts, a variable of the same name, a client of something else."""
    (project / "storage.py").write_text(SQLITE.format(opener=NOT_OURS[name]))
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert 'Wrapped(sqlite3.connect(sandbox.path / "memory.db"' in text


def test_a_folder_of_a_path_is_the_sandbox(project: Path) -> None:
    """The name of the file in it is the project's."""
    opener = """
from pathlib import Path
def connect(data_dir: Path = Path("data")):
    return sqlite3.connect(data_dir / "bot.db")
"""
    (project / "storage.py").write_text(SQLITE.format(opener=opener))
    assert run_command(["init"]) == 0
    assert "Wrapped(storage.connect(data_dir=sandbox.path))" in FILE.read_text()


@pytest.mark.parametrize("path", ['path="bot.db"', "db_path"])
def test_a_function_that_prepares_is_given_the_sandbox(path: str, project: Path) -> None:
    """As the others are: its default is the user's own file."""
    name = path.partition("=")[0]
    code = f"""
import sqlite3
PATH = "bot.db"
def init_db({path}):
    with sqlite3.connect({name}) as conn:
        conn.execute({TABLE})
def save_turn(chat_id, who, text):
    with sqlite3.connect(PATH) as conn:
        conn.execute({INSERT}, (chat_id, who, text))
def load_turns(chat_id):
    with sqlite3.connect(PATH) as conn:
        return conn.execute("SELECT who, text FROM turns WHERE chat_id = ?", (chat_id,)).fetchall()
"""
    (project / "storage.py").write_text(code)
    assert run_command(["init"]) == 0
    assert f'storage.init_db({name}=str(sandbox.path / "memory.db"))' in FILE.read_text()


def test_a_session_that_is_a_number_is_no_other_sessions(project: Path) -> None:
    """As sessions of one checksum would be: a leak that the file itself makes."""
    code = SQLITE.format(opener=OPENERS["a default path"][0])
    (project / "storage.py").write_text(code.replace("(conn, chat_id", "(conn, chat_id: int"))
    assert run_command(["init"]) == 0
    assert "hashlib.sha256(session_id" in confirm()
    assert run_command(["check", f"{FILE}:memory", "--only", "ISO16", "--seed", "7"]) == 0


def test_a_default_that_the_functions_rely_on_is_the_sandbox(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A constant is bound to it when the function is defined, so the constant does not help."""
    code = f"""
import sqlite3
PATH = "bot.db"
def connect(path=PATH, timeout=30):
    conn = sqlite3.connect(path, timeout=timeout)
    conn.execute({TABLE})
    return conn
def save_turn(chat_id, who, text):
    with connect() as conn:
        conn.execute({INSERT}, (chat_id, who, text))
def load_turns(chat_id):
    with connect() as conn:
        query = "SELECT who, text FROM turns WHERE chat_id = ? ORDER BY id"
        return conn.execute(query, (chat_id,)).fetchall()
"""
    (project / "storage.py").write_text(code)
    assert run_command(["init"]) == 0
    assert 'connect.__defaults__ = (str(sandbox.path / "memory.db"), 30)' in confirm()
    capsys.readouterr()
    assert run_command(["check", f"{FILE}:memory", "--only", "ISO01,ORD01", "--seed", "7"]) == 0
    assert list(project.rglob("bot.db")) == []


def test_what_a_class_takes_is_opened_by_the_project(project: Path) -> None:
    """A client for asyncio is not handed to a class that wants one of threads."""
    if not is_installed("redis"):
        pytest.skip("redis is not installed")
    code = """
import redis
import redis.asyncio as aioredis

def make_async_client(url: str = "redis://localhost") -> aioredis.Redis:
    return aioredis.from_url(url)

def make_client(url: str = "redis://localhost") -> redis.Redis:
    return redis.Redis.from_url(url, decode_responses=True)

class ChatHistory:
    def __init__(self, client: redis.Redis):
        self.client = client
    def append(self, session_id: str, role: str, text: str) -> None:
        self.client.rpush(session_id, f"{role}|{text}")
    def load(self, session_id: str) -> list[tuple[str, str]]:
        return [tuple(each.split("|", 1)) for each in self.client.lrange(session_id, 0, -1)]
"""
    (project / "storage.py").write_text(code)
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert "ChatHistory(client=storage.make_client(url=sandbox.redis_url))" in text
    assert 'services=["redis"]' in text


BY_ITSELF = {
    "a file at home": """
import json
from pathlib import Path
class ChatHistory:
    def __init__(self):
        self.path = Path.home() / "history.json"
    def add_message(self, session_id, role, content):
        self.path.write_text(json.dumps([*self.get_messages(session_id), [role, content]]))
    def get_messages(self, session_id):
        return json.loads(self.path.read_text()) if self.path.exists() else []
""",
    "a database that it connects to at once": """
import sqlite3
class ChatHistory:
    def __init__(self):
        self.db = sqlite3.connect("chat.db")
        self.db.execute("CREATE TABLE IF NOT EXISTS m (s TEXT, role TEXT, content TEXT)")
    def add_message(self, session_id, role, content):
        self.db.execute("INSERT INTO m VALUES (?, ?, ?)", (session_id, role, content))
    def get_messages(self, session_id):
        return self.db.execute("SELECT role, content FROM m WHERE s = ?", (session_id,)).fetchall()
""",
    "a server that goldfish does not start": """
from pathlib import Path
from pymongo import MongoClient
class ChatHistory:
    def __init__(self, uri="mongodb://localhost:27017", db="bot"):
        Path("opened").write_text(uri)
        self.messages = MongoClient(uri)[db].messages
    def add_message(self, session_id, role, content):
        self.messages.insert_one({"session": session_id, "role": role, "content": content})
    def get_messages(self, session_id):
        return list(self.messages.find({"session": session_id}))
""",
}


@pytest.mark.parametrize("source", BY_ITSELF.values(), ids=BY_ITSELF)
def test_what_opens_storage_of_the_users_own_is_never_opened(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if the guess is confirmed as it was written: the file fails, and says what to mend."""
    (tmp_path / "by_itself.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert run_command(["init"]) == 0
    assert "Fill in: " in capsys.readouterr().out
    FILE.write_text(FILE.read_text().replace("def memory(sandbox):", "def memory(sandbox=None):"))
    names: dict[str, Any] = {"__file__": str(FILE.absolute())}
    code = re.sub(r"^@goldfish.*$", "", FILE.read_text(), flags=re.MULTILINE)
    monkeypatch.setitem(sys.modules, "pymongo", SimpleNamespace(MongoClient=None))
    monkeypatch.delitem(sys.modules, "by_itself", raising=False)
    exec(code.partition("test_memory =")[0], names)
    with pytest.raises(NotImplementedError):
        names["memory"]()
    assert {each.name for each in tmp_path.iterdir()} - {"__pycache__"} == {"by_itself.py", "tests"}

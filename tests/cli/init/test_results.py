"""What a function returns and takes: the shapes of rows, of messages, of what opens them."""

import os
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command

FILE = Path("tests/test_memory.py")
SQLITE = """
import sqlite3
DB = "chat.db"
def get_conn():
    conn = sqlite3.connect(DB)
    conn.row_factory = sqlite3.Row
    return conn
def init_db():
    with get_conn() as conn:
        conn.execute("CREATE TABLE IF NOT EXISTS turns (id INTEGER PRIMARY KEY, chat, who, said)")
def save_turn(chat_id, who, said):
    with get_conn() as conn:
        conn.execute("INSERT INTO turns (chat, who, said) VALUES (?, ?, ?)", (chat_id, who, said))
def load_turns(chat_id):
    with get_conn() as conn:
        rows = conn.execute("SELECT {columns} FROM turns WHERE chat = ? ORDER BY id", (chat_id,))
        return {returned}
"""
REDIS = """
import redis.asyncio as redis
class Memory:
    def __init__(self, r: redis.Redis):
        self.r = r
    async def append(self, chat_id: str, role: str, text: str):
        await self.r.xadd(chat_id, {{"role": role, "text": text}})
    async def all(self, chat_id: str):
        return {returned}
"""
UTTERANCES = """
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
class Base(DeclarativeBase): ...
class Utterance(Base):
    __tablename__ = "utterances"
    id: Mapped[int] = mapped_column(primary_key=True)
    dialog: Mapped[str]
    by: Mapped[str]
    phrase: Mapped[str]
class DialogStore:
    def __init__(self, sessions: async_sessionmaker[AsyncSession]):
        self.sessions = sessions
    async def say(self, dialog: str, speaker: str, words: str) -> Utterance:
        async with self.sessions() as s:
            s.add(Utterance(dialog=dialog, by=speaker, phrase=words))
            await s.commit()
    async def transcript(self, dialog: str) -> list[Utterance]:
        async with self.sessions() as s:
            found = select(Utterance).where(Utterance.dialog == dialog).order_by(Utterance.id)
            return list(await s.scalars(found))
"""
POOLED = """
from psycopg_pool import AsyncConnectionPool
class PgTranscript:
    def __init__(self, pool: AsyncConnectionPool, tenant: str) -> None:
        self.pool, self.tenant = pool, tenant
    async def append(self, session_key: str, author: str, body: str) -> None:
        async with self.pool.connection() as conn:
            await conn.execute("INSERT INTO t (tenant, session, author, body) VALUES "
                               "(%s, %s, %s, %s)", (self.tenant, session_key, author, body))
    async def read(self, session_key: str) -> list[tuple[str, str]]:
        async with self.pool.connection() as conn:
            cur = await conn.execute("SELECT author, body FROM t WHERE tenant = %s", (1,))
            return await cur.fetchall()
"""
DATED = """
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
@dataclass
class Entry:
    author: str
    text: str
    {name}: datetime
class ShortTermMemory:
    def __init__(self, path: Path):
        self.path = path
    def push(self, session: str, entry: Entry) -> None:
        self.path.open("a").write(json.dumps([session, entry.author, entry.text]))
    def load(self, session: str) -> list[Entry]:
        return [Entry(*json.loads(line)) for line in self.path.read_text().splitlines()]
"""
WRITTEN_AGAIN = """
import json
from pathlib import Path
class FileChatStore:
    def __init__(self, root: Path):
        self.root = Path(root)
    def extend(self, chat_id: str, messages: list[dict]) -> None:
        {line}
        (self.root / chat_id).write_text(json.dumps({written}))
    def all(self, chat_id: str) -> list[dict]:
        path = self.root / chat_id
        return json.loads(path.read_text()) if path.exists() else []
"""
IN_TUPLES = '[(f["role"], f["text"]) for _, f in await self.r.xrange(chat_id)]'
THE_OTHER_WAY = '[(f["text"], f["role"]) for _, f in await self.r.xrange(chat_id)]'
BY_NAME = '{"role": each["who"], "content": each["said"]}'
# The module, and a line that its file has to have.
PROJECTS = {
    "rows as dicts": (
        SQLITE.format(columns="who, said", returned="[dict(row) for row in rows.fetchall()]"),
        BY_NAME,
    ),
    "all columns as dicts": (
        SQLITE.format(columns="*", returned="list(map(dict, rows.fetchall()))"),
        BY_NAME,
    ),
    "rows as tuples": (
        SQLITE.format(columns="id, who, said", returned="rows.fetchall()"),
        '{"role": each[1], "content": each[2]}',
    ),
    "tuples of a stream": (REDIS.format(returned=IN_TUPLES), "return await self.memory.all("),
    "tuples in another order": (
        REDIS.format(returned=THE_OTHER_WAY),
        '{"role": each[1], "content": each[0]}',
    ),
    "a class with other words": (
        UTTERANCES,
        '{"role": each.by, "content": each.phrase} for each in await self.memory.transcript(',
    ),
    "a pool for asyncio": (POOLED, "async with AsyncConnectionPool(sandbox.postgres_dsn) as"),
    "a name that is needed": (POOLED, 'PgTranscript(pool=handle, tenant="goldfish")'),
    "a time by its name": (DATED.format(name="when"), "when=each.created_at)"),
    "a time by its type": (DATED.format(name="said_then"), "said_then=each.created_at)"),
    "what was there, read before": (
        WRITTEN_AGAIN.format(line="old = self.all(chat_id)", written="old + messages"),
        "        # GUESS: it writes (chats.py:7)\n        self.memory.extend(session_id, [",
    ),
    "what was there, in a list": (
        WRITTEN_AGAIN.format(line="old = read(chat_id)", written="[*old, *messages]"),
        "        # GUESS: it writes (chats.py:7)\n        self.memory.extend(session_id, [",
    ),
    "a whole history": (
        WRITTEN_AGAIN.format(line="pass", written="messages"),
        "history = list(self.memory.all(session_id))",
    ),
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.delitem(sys.modules, "chats", raising=False)
    return tmp_path


@pytest.mark.parametrize("name", PROJECTS)
def test_what_comes_back_is_read_as_it_was_written(name: str, project: Path) -> None:
    """The names that the code gives to role and text are those that the wrapper asks for."""
    code, line = PROJECTS[name]
    (project / "chats.py").write_text(code)
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert line in text
    compile(text, str(FILE), "exec")


@pytest.mark.parametrize("name", ["rows as dicts", "all columns as dicts", "rows as tuples"])
def test_a_guess_that_is_confirmed_returns_what_was_written(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Roles and texts alike, in whatever the rows come."""
    (project / "chats.py").write_text(PROJECTS[name][0])
    run_command(["init"])
    FILE.write_text(FILE.read_text().replace(", guessed=True", ""))
    capsys.readouterr()
    assert run_command(["check", f"{FILE}:memory", "--only", "FID09,ORD01", "--seed", "7"]) == 0
    assert "2 promises held" in capsys.readouterr().out

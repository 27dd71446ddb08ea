"""Small projects, each with a memory of its own: what ``goldfish init`` is tried on.

Each package has another name, so that one process can import them all.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """A project: its files, and what is to be found in it.

    ``lines`` are lines that the file must have, ``needs`` packages that the project imports.
    """

    files: dict[str, str]
    found: str
    writes: str = ""
    reads: str = ""
    services: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


SAMPLES = {
    "redis-class": Sample(
        {
            "p_redis_class/history.py": '''
import json
import redis

class ChatHistory:
    """The turns of each session, as one JSON value."""

    def __init__(self, client: redis.Redis, prefix: str = "chat"):
        self.client = client
        self.prefix = prefix

    def append(self, session_id: str, role: str, content: str) -> None:
        turns = self.load(session_id)
        turns.append({"role": role, "content": content})
        self.client.set(f"{self.prefix}:{session_id}", json.dumps(turns))

    def load(self, session_id: str) -> list[dict]:
        raw = self.client.get(f"{self.prefix}:{session_id}")
        return json.loads(raw) if raw else []

    def clear(self, session_id: str) -> None:
        self.client.delete(f"{self.prefix}:{session_id}")
''',
            "p_redis_class/bot.py": "from p_redis_class.history import ChatHistory\n",
            "p_redis_class/orders.py": """
class OrderRepository:
    def __init__(self, client):
        self.client = client
    def add(self, order):
        self.client.set(order.id, order.json())
    def get(self, order_id):
        return self.client.get(order_id)
""",
        },
        "ChatHistory",
        "append",
        "load",
        ("redis",),
        lines=("def clear(self, session_id):",),
    ),
    "redis-url-async": Sample(
        {
            "p_redis_async/store.py": """
import json
import os
from redis.asyncio import Redis

class ConversationStore:
    def __init__(self, url: str | None = None, ttl: int = 86400):
        self._redis = Redis.from_url(url or os.environ["REDIS_URL"], decode_responses=True)
        self._ttl = ttl

    def _key(self, conversation_id: str) -> str:
        return f"conv:{conversation_id}"

    async def save_message(self, conversation_id: str, message: dict) -> None:
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.rpush(self._key(conversation_id), json.dumps(message))
            pipe.expire(self._key(conversation_id), self._ttl)
            await pipe.execute()

    async def get_messages(self, conversation_id: str, limit: int = 20) -> list[dict]:
        rows = await self._redis.lrange(self._key(conversation_id), -limit, -1)
        return [json.loads(row) for row in rows]

    async def delete_conversation(self, conversation_id: str) -> None:
        await self._redis.delete(self._key(conversation_id))
""",
        },
        "ConversationStore",
        "save_message",
        "get_messages",
        ("redis",),
        lines=("url=sandbox.redis_url", "async def add_messages"),
    ),
    "redis-environment": Sample(
        {
            "p_redis_env.py": """
import json, os
import redis

class SessionMemory:
    def __init__(self):
        self.r = redis.from_url(os.environ.get("REDIS_URL", "redis://localhost:6379"))

    def push(self, session_id, msg):
        row = {"sender": msg["sender"], "text": msg["text"]}
        self.r.lpush("mem:" + session_id, json.dumps(row))

    def history(self, session_id, n=10):
        return [json.loads(x) for x in self.r.lrange("mem:" + session_id, 0, n - 1)]
""",
        },
        "SessionMemory",
        "push",
        "history",
        ("redis",),
        lines=('"sender": each.role', "[::-1]", 'os.environ["REDIS_URL"] = sandbox.redis_url'),
    ),
    "redis-module-client": Sample(
        {
            "p_redis_module/__init__.py": "",
            "p_redis_module/config.py": 'import os\nREDIS_URL = os.environ["REDIS_URL"]\n',
            "p_redis_module/cache.py": """
import redis
from .config import REDIS_URL

client = redis.Redis.from_url(REDIS_URL, decode_responses=True)
""",
            "p_redis_module/chat_log.py": """
import json
from .cache import client

def log_message(chat_id: str, role: str, text: str):
    client.rpush(f"chat:{chat_id}", json.dumps({"role": role, "text": text}))

def fetch_history(chat_id: str):
    return [json.loads(x) for x in client.lrange(f"chat:{chat_id}", 0, -1)]

def wipe(chat_id: str):
    client.delete(f"chat:{chat_id}")
""",
        },
        "log_message and fetch_history",
        "log_message",
        "fetch_history",
        ("redis",),
        lines=("p_redis_module.chat_log.client", '"content": each["text"]'),
    ),
    "redis-host-port": Sample(
        {
            "src/p_redis_host/memory.py": """
import redis

class AgentMemory:
    def __init__(self, session_id: str, host: str = "localhost", port: int = 6379, db: int = 0):
        self.session_id = session_id
        self.redis = redis.Redis(host=host, port=port, db=db, decode_responses=True)

    def add_user_message(self, text: str) -> None:
        self.redis.rpush(self.session_id, "user|" + text)

    def add_ai_message(self, text: str) -> None:
        self.redis.rpush(self.session_id, "assistant|" + text)

    @property
    def messages(self) -> list[dict[str, str]]:
        rows = self.redis.lrange(self.session_id, 0, -1)
        return [{"role": r.partition("|")[0], "content": r.partition("|")[2]} for r in rows]

    def clear(self) -> None:
        self.redis.delete(self.session_id)
""",
        },
        "AgentMemory",
        "add_user_message",
        "messages",
        ("redis",),
        lines=('if each.role == "assistant":', '"src"'),
    ),
    "redis-settings": Sample(
        {
            "p_redis_settings/settings.py": """
from pydantic import BaseModel

class Settings(BaseModel):
    redis_url: str = "redis://localhost:6379/0"
    model: str = "gpt-4o-mini"

settings = Settings()
""",
            "p_redis_settings/memory.py": """
import json
from dataclasses import dataclass, asdict
import redis
from p_redis_settings.settings import settings

@dataclass
class Turn:
    role: str
    content: str

class TurnStore:
    def __init__(self):
        self._client = redis.from_url(settings.redis_url)

    def add_turn(self, thread_id: str, turn: Turn):
        self._client.rpush(thread_id, json.dumps(asdict(turn)))

    def get_turns(self, thread_id: str) -> list[Turn]:
        return [Turn(**json.loads(x)) for x in self._client.lrange(thread_id, 0, -1)]
""",
        },
        "TurnStore",
        "add_turn",
        "get_turns",
        ("redis",),
        lines=("Turn(role=each.role, content=each.content)",),
    ),
    "sqlalchemy-repository": Sample(
        {
            "p_sqla_repo/models.py": """
from datetime import datetime
from sqlalchemy import String, Text, DateTime, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

class Base(DeclarativeBase):
    pass

class ChatMessage(Base):
    __tablename__ = "chat_messages"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    session_id: Mapped[str] = mapped_column(String(255), index=True)
    role: Mapped[str] = mapped_column(String(32))
    content: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(DateTime, server_default=func.now())
""",
            "p_sqla_repo/repository.py": """
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker
from p_sqla_repo.models import ChatMessage

class MessageRepository:
    def __init__(self, session_factory: sessionmaker[Session]):
        self.session_factory = session_factory

    def add(self, session_id: str, role: str, content: str) -> ChatMessage:
        with self.session_factory() as db:
            message = ChatMessage(session_id=session_id, role=role, content=content)
            db.add(message)
            db.commit()
            return message

    def history(self, session_id: str, limit: int = 50) -> list[ChatMessage]:
        with self.session_factory() as db:
            query = (select(ChatMessage).where(ChatMessage.session_id == session_id)
                     .order_by(ChatMessage.id.desc()).limit(limit))
            return list(reversed(db.scalars(query).all()))
""",
        },
        "MessageRepository",
        "add",
        "history",
        lines=("sessionmaker(engine", "Base.metadata.create_all(connection)"),
        needs=("sqlalchemy",),
    ),
    "sqlalchemy-functions": Sample(
        {
            "p_sqla_crud/database.py": """
import os
from sqlalchemy import create_engine
from sqlalchemy.orm import declarative_base, sessionmaker

DATABASE_URL = os.getenv("DATABASE_URL", "sqlite:///./chat.db")
engine = create_engine(DATABASE_URL)
SessionLocal = sessionmaker(bind=engine)
Base = declarative_base()

def get_db():
    db = SessionLocal()
    try:
        yield db
    finally:
        db.close()
""",
            "p_sqla_crud/models.py": """
from sqlalchemy import Column, Integer, String, Text
from p_sqla_crud.database import Base

class Message(Base):
    __tablename__ = "messages"
    id = Column(Integer, primary_key=True)
    conversation_id = Column(String, index=True, nullable=False)
    sender = Column(String, nullable=False)
    body = Column(Text, nullable=False)
""",
            "p_sqla_crud/crud.py": """
from sqlalchemy.orm import Session
from p_sqla_crud.models import Message

def create_message(db: Session, conversation_id: str, sender: str, body: str):
    row = Message(conversation_id=conversation_id, sender=sender, body=body)
    db.add(row)
    db.commit()
    db.refresh(row)
    return row

def get_messages(db: Session, conversation_id: str, skip: int = 0, limit: int = 100):
    return (db.query(Message).filter(Message.conversation_id == conversation_id)
            .order_by(Message.id).offset(skip).limit(limit).all())
""",
        },
        "create_message and get_messages",
        "create_message",
        "get_messages",
        lines=("each.sender", "each.body"),
        needs=("sqlalchemy",),
    ),
    "sqlalchemy-model-alone": Sample(
        {
            "p_sqla_model.py": """
from sqlalchemy import String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

class Base(DeclarativeBase): ...

class ConversationTurn(Base):
    __tablename__ = "turns"
    id: Mapped[int] = mapped_column(primary_key=True)
    thread_id: Mapped[str] = mapped_column(String, index=True)
    role: Mapped[str]
    text: Mapped[str] = mapped_column(Text)
""",
        },
        "ConversationTurn",
        lines=("session.add(ConversationTurn(thread_id=session_id",),
        needs=("sqlalchemy",),
    ),
    "sqlalchemy-async": Sample(
        {
            "p_sqla_async/db.py": """
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy import select

class Base(DeclarativeBase):
    pass

class Entry(Base):
    __tablename__ = "entries"
    id: Mapped[int] = mapped_column(primary_key=True)
    session_key: Mapped[str]
    role: Mapped[str]
    content: Mapped[str]

class HistoryService:
    def __init__(self, session: AsyncSession):
        self.session = session

    async def record_message(self, session_key: str, role: str, content: str) -> None:
        self.session.add(Entry(session_key=session_key, role=role, content=content))
        await self.session.commit()

    async def load_history(self, session_key: str) -> list[Entry]:
        rows = await self.session.scalars(
            select(Entry).where(Entry.session_key == session_key).order_by(Entry.id))
        return list(rows)
""",
        },
        "HistoryService",
        "record_message",
        "load_history",
        lines=("run_sync(Base.metadata.create_all)",),
        needs=("sqlalchemy", "aiosqlite"),
    ),
    "sqlite-raw": Sample(
        {
            "p_sqlite_raw.py": """
import sqlite3

class ChatDB:
    def __init__(self, db_path="chat.db"):
        self.conn = sqlite3.connect(db_path, timeout=20)
        self.conn.execute("CREATE TABLE IF NOT EXISTS messages "
                          "(id INTEGER PRIMARY KEY, session TEXT, role TEXT, content TEXT, ts)")

    def insert_message(self, session, role, content, ts=0.0):
        with self.conn:
            self.conn.execute("INSERT INTO messages (session, role, content, ts) "
                              "VALUES (?, ?, ?, ?)", (session, role, content, ts))

    def get_history(self, session):
        return self.conn.execute(
            "SELECT id, role, content, ts FROM messages WHERE session = ? ORDER BY id", (session,)
        ).fetchall()
""",
        },
        "ChatDB",
        "insert_message",
        "get_history",
        lines=("each[1]", "each[2]", "db_path="),
    ),
    "sqlite-functions": Sample(
        {
            "p_sqlite_fns/storage.py": """
import sqlite3
from contextlib import closing

DB_PATH = "history.db"

def init_db():
    with closing(sqlite3.connect(DB_PATH)) as db, db:
        db.execute("CREATE TABLE IF NOT EXISTS log (user_id TEXT, role TEXT, message TEXT)")

def save_message(user_id: str, role: str, message: str):
    with closing(sqlite3.connect(DB_PATH)) as db, db:
        db.execute("INSERT INTO log VALUES (?, ?, ?)", (user_id, role, message))

def get_conversation(user_id: str) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(DB_PATH)) as db:
        return db.execute("SELECT role, message FROM log WHERE user_id = ? ORDER BY rowid",
                          (user_id,)).fetchall()
""",
        },
        "save_message and get_conversation",
        "save_message",
        "get_conversation",
        lines=("p_sqlite_fns.storage.DB_PATH = str(sandbox.path", "init_db()"),
    ),
    "json-files": Sample(
        {
            "p_json_files.py": '''
import json
from pathlib import Path

class FileMemory:
    def __init__(self, base_dir: Path):
        self.base_dir = Path(base_dir)

    def _path(self, session_id):
        return self.base_dir / (session_id.encode().hex() + ".json")

    def save(self, session_id: str, messages: list[dict]):
        """Add messages to what there is."""
        self._path(session_id).write_text(json.dumps(self.load(session_id) + messages))

    def load(self, session_id: str) -> list[dict]:
        path = self._path(session_id)
        return json.loads(path.read_text()) if path.exists() else []
''',
        },
        "FileMemory",
        "save",
        "load",
        lines=("base_dir=sandbox.path",),
    ),
    "json-module-folder": Sample(
        {
            "p_json_dir.py": """
import json
import os

HISTORY_DIR = os.path.expanduser("~/.bot")

def append_turn(session_id, user_message, assistant_message):
    path = os.path.join(HISTORY_DIR, session_id + ".jsonl")
    with open(path, "a") as f:
        f.write(json.dumps({"user": user_message, "assistant": assistant_message}) + "\\n")

def load_turns(session_id):
    path = os.path.join(HISTORY_DIR, session_id + ".jsonl")
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f]
""",
        },
        "append_turn and load_turns",
        "append_turn",
        "load_turns",
        lines=("p_json_dir.HISTORY_DIR = str(sandbox.path)", '"content": each["user"]'),
    ),
    "asyncpg-pool": Sample(
        {
            "p_asyncpg/memory.py": """
import asyncpg

class PostgresConversationMemory:
    def __init__(self, pool: asyncpg.Pool):
        self.pool = pool

    async def setup(self):
        await self.pool.execute(
            "CREATE TABLE IF NOT EXISTS turns "
            "(id bigserial primary key, thread text, role text, content text)")

    async def add_message(self, thread_id: str, role: str, content: str):
        await self.pool.execute(
            "INSERT INTO turns (thread, role, content) VALUES ($1, $2, $3)",
            thread_id, role, content)

    async def messages(self, thread_id: str):
        return await self.pool.fetch(
            "SELECT role, content FROM turns WHERE thread = $1 ORDER BY id", thread_id)
""",
        },
        "PostgresConversationMemory",
        "add_message",
        "messages",
        ("postgres",),
        lines=("await asyncpg.create_pool(sandbox.postgres_dsn)", "await store.memory.setup()"),
        needs=("asyncpg",),
    ),
    "psycopg-functions": Sample(
        {
            "p_psycopg/dal.py": """
import os
import psycopg

DSN = os.environ["DATABASE_URL"]

def _connect():
    return psycopg.connect(DSN)

def create_tables():
    with _connect() as conn:
        conn.execute("CREATE TABLE IF NOT EXISTS chat "
                     "(id bigserial, sid text, role text, content text)")

def store_message(sid: str, role: str, content: str) -> None:
    with _connect() as conn:
        conn.execute("INSERT INTO chat (sid, role, content) VALUES (%s, %s, %s)",
                     (sid, role, content))

def list_messages(sid: str):
    with _connect() as conn:
        rows = conn.execute(
            "SELECT role, content FROM chat WHERE sid = %s ORDER BY id DESC", (sid,))
        return rows.fetchall()
""",
        },
        "store_message and list_messages",
        "store_message",
        "list_messages",
        ("postgres",),
        lines=("p_psycopg.dal.DSN = sandbox.postgres_dsn", "[::-1]", 'os.environ["DATABASE_URL"]'),
        needs=("psycopg",),
    ),
    "in-process-dict": Sample(
        {
            "p_dict_memory.py": """
from collections import defaultdict

class BufferMemory:
    def __init__(self, max_messages: int = 1000):
        self.buffers = defaultdict(list)
        self.max_messages = max_messages

    def remember(self, session_id, message):
        self.buffers[session_id].append(message)

    def get_context(self, session_id):
        return self.buffers[session_id][-self.max_messages:]
""",
        },
        "BufferMemory",
        "remember",
        "get_context",
    ),
    "langchain-subclass": Sample(
        {
            "p_lc_history.py": """
import json
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import messages_from_dict, messages_to_dict

class JSONHistory(BaseChatMessageHistory):
    def __init__(self, session_id: str, directory: str):
        self.path = f"{directory}/{session_id.encode().hex()}.json"

    @property
    def messages(self):
        try:
            with open(self.path) as file:
                return messages_from_dict(json.load(file))
        except FileNotFoundError:
            return []

    def add_messages(self, messages):
        everything = messages_to_dict([*self.messages, *messages])
        with open(self.path, "w") as file:
            json.dump(everything, file)

    def clear(self):
        with open(self.path, "w") as file:
            file.write("[]")
""",
        },
        "JSONHistory",
        lines=("goldfish.adapt.langchain(lambda session_id: JSONHistory(",),
        needs=("langchain_core",),
    ),
    "mem0-wrapper": Sample(
        {
            "p_mem0_wrapper/memory.py": '''
import os
from mem0 import Memory

CONFIG = {
    "vector_store": {"provider": "qdrant", "config": {"host": "localhost", "port": 6333}},
    "llm": {"provider": "openai", "config": {"model": "gpt-4o-mini"}},
}

class UserMemory:
    """What the assistant knows about its users."""

    def __init__(self, config=None):
        self.client = Memory.from_config(config or CONFIG)

    def remember(self, user_id: str, text: str) -> None:
        self.client.add(text, user_id=user_id, infer=False)

    def recall(self, user_id: str, query: str, limit: int = 5) -> list[str]:
        found = self.client.search(query, filters={"user_id": user_id}, top_k=limit)
        return [each["memory"] for each in found["results"]]

    def forget_user(self, user_id: str) -> None:
        self.client.delete_all(user_id=user_id)
''',
        },
        "UserMemory",
        "remember",
        "recall",
        lines=("OfflineMem0().replace_mem0()", "def forget_all(self, user_id):"),
        needs=("mem0",),
    ),
    "mem0-messages": Sample(
        {
            "p_mem0_messages/service.py": """
from mem0 import Memory

memory = Memory()

def store_conversation(user_id: str, messages: list[dict]):
    return memory.add(messages, user_id=user_id, infer=False)

def search_memories(user_id: str, query: str, limit: int = 3):
    return memory.search(query, filters={"user_id": user_id}, top_k=limit)
""",
        },
        "store_conversation and search_memories",
        "store_conversation",
        "search_memories",
        lines=('[{"role": "user", "content": text}]', "with offline.open(sandbox.path):"),
        needs=("mem0",),
    ),
    "fastapi-store": Sample(
        {
            "src/p_api_store/app.py": """
import json
import os
import redis
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
client = redis.from_url(os.environ["REDIS_URL"], decode_responses=True)

class MessageIn(BaseModel):
    role: str
    content: str

@app.post("/sessions/{session_id}/messages", status_code=201)
def post_message(session_id: str, body: MessageIn):
    client.rpush(session_id, body.model_dump_json())
    return {"ok": True}

@app.get("/sessions/{session_id}/messages")
def read_messages(session_id: str):
    return {"messages": [json.loads(row) for row in client.lrange(session_id, 0, -1)]}
""",
        },
        "service",
        services=("redis",),
        lines=("TestClient(app)", '"role": each.role', "p_api_store.app.client = "),
        needs=("fastapi", "httpx"),
    ),
    "mongo": Sample(
        {
            "p_mongo.py": """
from pymongo import MongoClient

class MongoHistory:
    def __init__(self, uri: str = "mongodb://localhost"):
        self.messages = MongoClient(uri).chat.messages

    def add_message(self, session_id, role, content):
        self.messages.insert_one({"session": session_id, "role": role, "content": content})

    def get_messages(self, session_id):
        return list(self.messages.find({"session": session_id}))
""",
        },
        "MongoHistory",
        "add_message",
        "get_messages",
        lines=("goldfish starts no MongoDB",),
        needs=("pymongo",),
    ),
    "django": Sample(
        {
            "p_django/chat/models.py": """
from django.db import models

class ChatMessage(models.Model):
    session_id = models.CharField(max_length=200)
    role = models.CharField(max_length=20)
    content = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
""",
            "p_django/chat/services.py": """
from .models import ChatMessage

def save_message(session_id, role, content):
    return ChatMessage.objects.create(session_id=session_id, role=role, content=content)

def get_history(session_id):
    return ChatMessage.objects.filter(session_id=session_id).order_by("created_at")
""",
        },
        "save_message and get_history",
        "save_message",
        "get_history",
        lines=("DJANGO_SETTINGS_MODULE",),
        needs=("django",),
    ),
    "service-that-replaces": Sample(
        {
            "p_replaces/main.py": """
import json, os
import redis.asyncio as aioredis
from fastapi import FastAPI, Depends
from openai import AsyncOpenAI
from pydantic import BaseModel

app = FastAPI()
llm = AsyncOpenAI()
pool = aioredis.ConnectionPool.from_url(os.getenv("REDIS_URL", "redis://localhost"))

class ChatRequest(BaseModel):
    session_id: str
    message: str

class RedisHistory:
    def __init__(self, redis: aioredis.Redis):
        self.redis = redis
    async def load(self, session_id: str) -> list[dict]:
        raw = await self.redis.get(f"h:{session_id}")
        return json.loads(raw) if raw else []
    async def save(self, session_id: str, history: list[dict]) -> None:
        await self.redis.set(f"h:{session_id}", json.dumps(history))

@app.post("/chat")
async def chat(req: ChatRequest):
    store = RedisHistory(aioredis.Redis(connection_pool=pool))
    history = await store.load(req.session_id)
    history.append({"role": "user", "content": req.message})
    done = await llm.chat.completions.create(model="gpt-4o-mini", messages=history)
    reply = done.choices[0].message.content
    history.append({"role": "assistant", "content": reply})
    await store.save(req.session_id, history)
    return {"reply": history[-1]["content"]}
""",
        },
        "RedisHistory",
        "save",
        "load",
        ("redis",),
        lines=("history = list(await self.memory.load(session_id))", '"OPENAI_API_KEY"'),
        needs=("fastapi", "openai"),
    ),
    "mem0-async": Sample(
        {
            "p_mem0_async.py": """
from mem0 import AsyncMemory
class LongTermMemory:
    def __init__(self, memory: AsyncMemory | None = None):
        self._memory = memory or AsyncMemory()
    async def add_memory(self, messages: list[dict], user_id: str, metadata: dict | None = None):
        return await self._memory.add(messages, user_id=user_id, metadata=metadata)
    async def search_memory(self, query: str, user_id: str, top_k: int = 5):
        result = await self._memory.search(query, filters={"user_id": user_id}, top_k=top_k)
        return result["results"]
    async def get_all(self, user_id: str):
        return (await self._memory.get_all(filters={"user_id": user_id}))["results"]
    async def delete_all(self, user_id: str):
        await self._memory.delete_all(user_id=user_id)
"""
        },
        "LongTermMemory",
        "add_memory",
        "search_memory",
        lines=("OfflineMem0(asynchronous=True)", "def list_facts", "def forget_all"),
        needs=("mem0",),
    ),
    "mem0-by-module": Sample(
        {
            "p_mem0_module.py": """
import os
import mem0
os.environ["OPENAI_API_KEY"]
class MemoryService:
    def __init__(self):
        self.m = mem0.Memory.from_config({"vector_store": {"provider": "qdrant"}})
    def save_fact(self, user_id: str, fact: str):
        self.m.add(fact, user_id=user_id)
    def relevant_facts(self, user_id: str, question: str) -> str:
        found = self.m.search(question, filters={"user_id": user_id})
        return "\\n".join(r["memory"] for r in found["results"])
"""
        },
        "MemoryService",
        "save_fact",
        "relevant_facts",
        lines=("OfflineMem0().replace_mem0()", 'setdefault("OPENAI_API_KEY"'),
        needs=("mem0",),
    ),
    "redis-own-messages": Sample(
        {
            "p_own_messages.py": """
from datetime import datetime, timezone
from enum import Enum
from pydantic import BaseModel, Field
import redis
class Role(str, Enum):
    user = "user"
    assistant = "assistant"
    system = "system"
    tool = "tool"
class Message(BaseModel):
    role: Role
    text: str
    sent_at: datetime = Field(default_factory=lambda: datetime.now(timezone.utc))
class HistoryStore:
    def __init__(self, redis_client: redis.Redis | None = None, max_len: int = 100):
        self.redis = redis_client or redis.Redis()
        self.max_len = max_len
    def add(self, session_id: str, message: Message) -> None:
        self.redis.rpush(session_id, message.model_dump_json())
    def all(self, session_id: str) -> list[Message]:
        return [Message.model_validate_json(x) for x in self.redis.lrange(session_id, 0, -1)]
"""
        },
        "HistoryStore",
        "add",
        "all",
        ("redis",),
        lines=("Message(role=Role(each.role), text=each.content)", "redis_client=redis.from_url("),
    ),
}

"""Small projects whose memories have words of their own, or SQLAlchemy's sessions and tables."""

from tests.cli.init.projects import Sample

ASYNCPG = {
    "src/p_concierge/__init__.py": "",
    "src/p_concierge/domain.py": """
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID, uuid4

class Author(StrEnum):
    guest = "user"
    concierge = "assistant"

@dataclass(frozen=True, slots=True)
class Message:
    stay_id: str
    author: Author
    body: str
    id: UUID = field(default_factory=uuid4)
""",
    "src/p_concierge/storage.py": """
import asyncpg
from p_concierge.domain import Author, Message

SCHEMA = "CREATE TABLE IF NOT EXISTS m (seq BIGSERIAL, stay_id TEXT, author TEXT, body TEXT)"

class MessageRepository:
    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
    async def ensure_schema(self) -> None:
        await self._pool.execute(SCHEMA)
    async def save(self, message: Message) -> None:
        await self._pool.execute("INSERT INTO m (stay_id, author, body) VALUES ($1, $2, $3)",
                                 message.stay_id, message.author.value, message.body)
    async def for_stay(self, stay_id: str) -> list[Message]:
        rows = await self._pool.fetch(
            "SELECT stay_id, author, body FROM m WHERE stay_id = $1 ORDER BY seq", stay_id)
        return [Message(row["stay_id"], Author(row["author"]), row["body"]) for row in rows]
    async def checkout(self, stay_id: str) -> None:
        await self._pool.execute("DELETE FROM m WHERE stay_id = $1", stay_id)
""",
}
ORM = {
    "p_orm/__init__.py": "",
    "p_orm/models.py": """
import enum
import uuid
from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

class Base(DeclarativeBase): ...

class Role(str, enum.Enum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"

class User(Base):
    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(255), unique=True)

class Conversation(Base):
    __tablename__ = "conversations"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    title: Mapped[str | None]

class Message(Base):
    __tablename__ = "messages"
    id: Mapped[int] = mapped_column(primary_key=True)
    conversation_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("conversations.id"))
    role: Mapped[Role]
    content: Mapped[str]
""",
    "p_orm/repositories.py": """
import uuid
from sqlalchemy import delete, event, select
from sqlalchemy.engine import Engine
from sqlalchemy.orm import Session
from p_orm.models import Conversation, Message, Role

@event.listens_for(Engine, "connect")
def enforce(connection, record):
    connection.execute("PRAGMA foreign_keys = ON")

class ConversationRepository:
    def __init__(self, session: Session) -> None:
        self.session = session
    def add_message(self, conversation_id: uuid.UUID, role: Role, content: str) -> Message:
        message = Message(conversation_id=conversation_id, role=role, content=content)
        self.session.add(message)
        self.session.commit()
        return message
    def list_messages(self, conversation_id: uuid.UUID, limit: int = 100):
        found = select(Message).where(Message.conversation_id == conversation_id)
        return self.session.scalars(found.order_by(Message.id).limit(limit)).all()
    def delete_conversation(self, conversation_id: uuid.UUID) -> None:
        self.session.execute(delete(Message).where(Message.conversation_id == conversation_id))
        self.session.execute(delete(Conversation).where(Conversation.id == conversation_id))
        self.session.commit()
""",
}
STRANGE = {
    "redis-stream": Sample(
        {
            "p_stream.py": """
import redis.asyncio as redis

class StreamLog:
    def __init__(self, client: redis.Redis):
        self.client = client
    async def emit(self, dialogue_ref: str, actor: str, words: str) -> None:
        await self.client.xadd(f"dialogue:{dialogue_ref}", {"actor": actor, "words": words})
    async def rewind(self, dialogue_ref: str) -> list[dict[str, str]]:
        return [row for _, row in await self.client.xrange(f"dialogue:{dialogue_ref}")]
"""
        },
        "StreamLog",
        "emit",
        "rewind",
        ("redis",),
        lines=("self.memory.emit(session_id, each.role, each.content)", '"content": each["words"]'),
        needs=("redis",),
    ),
    "sqlmodel-lines": Sample(
        {
            "p_lines.py": """
from sqlmodel import Field, Session, SQLModel, create_engine, select

engine = create_engine("sqlite:///chat.db")

class Line(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    thread: str = Field(index=True)
    who: str
    what: str

class Threads:
    def put(self, thread: str, who: str, what: str) -> None:
        with Session(engine) as s:
            s.add(Line(thread=thread, who=who, what=what))
            s.commit()
    def lines(self, thread: str) -> list[Line]:
        with Session(engine) as s:
            return list(s.exec(select(Line).where(Line.thread == thread).order_by(Line.id)))
"""
        },
        "Threads",
        "put",
        "lines",
        lines=("p_lines.engine = engine", '"content": each.what'),
        needs=("sqlmodel",),
    ),
    "redis-diary": Sample(
        {
            "p_diary.py": """
import json
import os
from typing import NamedTuple
import redis

MAX_TURNS = int(os.environ.get("MAX_TURNS", "200"))

class Turn(NamedTuple):
    speaker: str
    utterance: str

class Diary:
    KEY = "diary:{call}"
    def __init__(self, url: str = "redis://localhost"):
        self._r = redis.Redis.from_url(url, decode_responses=True)
    def log_turn(self, call_id: str, speaker: str, utterance: str) -> None:
        turn = Turn(speaker, utterance)
        self._r.rpush(self.KEY.format(call=call_id), json.dumps(turn._asdict()))
    def transcript(self, call_id: str, *, newest: int | None = None) -> list[Turn]:
        start = -newest if newest else 0
        rows = self._r.lrange(self.KEY.format(call=call_id), start, -1)
        return [Turn(**json.loads(row)) for row in rows]
    def shred(self, call_id: str) -> None:
        self._r.delete(self.KEY.format(call=call_id))
"""
        },
        "Diary",
        "log_turn",
        "transcript",
        ("redis",),
        lines=("each.speaker", "self.memory.shred(session_id)"),
        needs=("redis",),
    ),
    "asyncpg-dataclass": Sample(
        ASYNCPG,
        "MessageRepository",
        "save",
        "for_stay",
        ("postgres",),
        lines=(
            "Message(stay_id=session_id, author=Author(each.role), body=each.content)",
            "self.memory.checkout(session_id)",
            "ensure_schema()",
        ),
        needs=("asyncpg",),
    ),
    "psycopg-entered": Sample(
        {
            "p_helpdesk.py": """
from dataclasses import dataclass
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool

@dataclass
class Message:
    ticket: str
    role: str
    text: str

class TicketHistory:
    def __init__(self, dsn: str) -> None:
        self._pool = AsyncConnectionPool(dsn, open=False, min_size=1, max_size=4)
    async def __aenter__(self):
        await self._pool.open(wait=True)
        async with self._pool.connection() as conn:
            await conn.execute("CREATE TABLE IF NOT EXISTS said "
                               "(id bigserial, ticket text, role text, text text)")
        return self
    async def __aexit__(self, *error):
        await self._pool.close()
    async def record(self, *messages: Message) -> None:
        async with self._pool.connection() as conn, conn.cursor() as cur:
            await cur.executemany("INSERT INTO said (ticket, role, text) VALUES (%s, %s, %s)",
                                  [(m.ticket, m.role, m.text) for m in messages])
    async def replay(self, ticket: str) -> list[Message]:
        async with self._pool.connection() as conn:
            cur = conn.cursor(row_factory=class_row(Message))
            await cur.execute("SELECT ticket, role, text FROM said WHERE ticket = %s ORDER BY id",
                              (ticket,))
            return await cur.fetchall()
"""
        },
        "TicketHistory",
        "record",
        "replay",
        ("postgres",),
        lines=(
            "async with TicketHistory(dsn=sandbox.postgres_dsn) as handle:",
            "*[Message(ticket=session_id",
        ),
        needs=("psycopg_pool",),
    ),
    "sqlite-tuples": Sample(
        {
            "services/chat/p_chat/__init__.py": "",
            "services/chat/p_chat/store.py": """
import sqlite3
from contextlib import closing

class ConversationStore:
    def __init__(self, db_path: str = "/var/lib/chat/conversations.db"):
        self.db_path = db_path
        with closing(self._connect()) as db, db:
            db.execute("CREATE TABLE IF NOT EXISTS turns (n INTEGER PRIMARY KEY, "
                       "conv TEXT, who TEXT, what TEXT)")
    def _connect(self):
        return sqlite3.connect(self.db_path, timeout=30)
    def push(self, conversation: str, who: str, what: str) -> None:
        with closing(self._connect()) as db, db:
            db.execute("INSERT INTO turns (conv, who, what) VALUES (?, ?, ?)",
                       (conversation, who, what))
    def pull(self, conversation: str) -> list[tuple[str, str]]:
        with closing(self._connect()) as db:
            return db.execute("SELECT who, what FROM turns WHERE conv = ? ORDER BY n",
                              (conversation,)).fetchall()
""",
        },
        "ConversationStore",
        "push",
        "pull",
        lines=("self.memory.push(session_id, each.role, each.content)", '"services/chat"'),
    ),
    "redis-facts": Sample(
        {
            "p_person_facts.py": """
import json
import uuid
import redis

class PersonFacts:
    def __init__(self, client: redis.Redis):
        self.client = client
    def learn(self, person: str, fact: str, source: str = "chat") -> str:
        key = uuid.uuid4().hex
        self.client.hset(f"facts:{person}", key, json.dumps({"fact": fact, "source": source}))
        return key
    def known(self, person: str) -> list[str]:
        return [json.loads(row)["fact"] for row in self.client.hvals(f"facts:{person}")]
"""
        },
        "PersonFacts",
        "learn",
        "known",
        ("redis",),
        lines=("def remember(self, user_id, text):", "def list_facts(self, user_id):"),
        needs=("redis",),
    ),
    "sqlalchemy-parents": Sample(
        ORM,
        "ConversationRepository",
        "add_message",
        "list_messages",
        lines=("with self.open_memory() as memory:", "insert(User).values(id=1,"),
        needs=("sqlalchemy",),
    ),
    "sqlalchemy-async-session": Sample(
        {
            "p_crud.py": """
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

class Base(DeclarativeBase): ...

class ChatMessage(Base):
    __tablename__ = "chat_messages"
    id: Mapped[int] = mapped_column(primary_key=True)
    session_id: Mapped[str]
    role: Mapped[str]
    content: Mapped[str]

async def create_message(db: AsyncSession, *, session_id: str, role: str, content: str):
    db.add(ChatMessage(session_id=session_id, role=role, content=content))
    await db.commit()

async def get_messages(db: AsyncSession, session_id: str, limit: int = 100) -> list[ChatMessage]:
    found = select(ChatMessage).where(ChatMessage.session_id == session_id)
    return list((await db.scalars(found.order_by(ChatMessage.id).limit(limit))).all())
"""
        },
        "create_message and get_messages",
        "create_message",
        "get_messages",
        lines=("async with self.open_memory() as session:", "create_message(session, session_id="),
        needs=("sqlalchemy", "aiosqlite"),
    ),
}

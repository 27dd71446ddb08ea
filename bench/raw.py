"""The bare drivers, as durable as our stores: what nobody who uses them could beat by much.

They write texts that were encoded before the clock started, and they read the very rows that our
store wrote, with ``json.loads`` and nothing more.
"""

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.contenders import Contender, Conversation
from goldfish import ChatMessage

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from redis.asyncio import Redis

CONNECTIONS = 10  # as many as our PostgreSQL store opens at most


class Raw(Contender):
    """A bare driver at a URL of its own, which also knows where our store is."""

    family = "raw"

    def __init__(self, url: str, ours: str) -> None:
        super().__init__()
        self._url = url
        self._ours = ours

    def prepare(self, messages: Sequence[ChatMessage]) -> list[Any]:
        return [json.dumps(message.model_dump(mode="json")) for message in messages]


class RawSQLite(Raw):
    """sqlite3 in the caller's thread, WAL with synchronous=FULL."""

    name = "raw sqlite3"

    async def open(self) -> None:
        self._own_file = self._connect(self._url)
        self._our_file = self._connect(self._ours)
        self._own_file.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session TEXT, body TEXT)"
        )
        self._own_file.execute("CREATE INDEX messages_by_session ON messages (session)")

    async def conversation(self, session: str) -> Conversation:
        return _RawSQLiteSession(self._own_file, self._our_file, session)

    def _connect(self, url: str) -> sqlite3.Connection:
        connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        self.exits.callback(connection.close)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        return connection


@dataclass(frozen=True)
class _RawSQLiteSession:
    own_file: sqlite3.Connection
    our_file: sqlite3.Connection
    session: str

    async def append(self, batch: Sequence[Any]) -> None:
        self.own_file.execute("BEGIN IMMEDIATE")
        self.own_file.executemany(
            "INSERT INTO messages (session, body) VALUES (?, ?)",
            [(self.session, body) for body in batch],
        )
        self.own_file.execute("COMMIT")

    async def read(self) -> Sequence[object]:
        rows = self.our_file.execute(
            """SELECT body FROM goldfish_sessions JOIN goldfish_messages
               ON place BETWEEN pk << 32 AND (pk + 1 << 32) - 1
               WHERE session_id = ? ORDER BY place""",
            (self.session,),
        ).fetchall()
        return [json.loads(body) for (body,) in rows]

    async def close(self) -> None: ...


class RawRedis(Raw):
    """redis.asyncio as it comes: a list per session, one command per turn."""

    name = "raw redis.asyncio"

    async def open(self) -> None:
        from redis.asyncio import Redis

        self._own_server = await self.exits.enter_async_context(Redis.from_url(self._url))
        self._our_server = await self.exits.enter_async_context(Redis.from_url(self._ours))

    async def conversation(self, session: str) -> Conversation:
        return _RawRedisSession(self._own_server, self._our_server, session)


@dataclass(frozen=True)
class _RawRedisSession:
    own_server: "Redis"
    our_server: "Redis"
    session: str

    async def append(self, batch: Sequence[Any]) -> None:
        await self.own_server.rpush(self.session, *batch)

    async def read(self) -> Sequence[object]:
        bodies = await self.our_server.lrange(f"goldfish:{{s{self.session}}}:log", 0, -1)
        return [json.loads(body) for body in bodies]

    async def close(self) -> None: ...


class RawPostgres(Raw):
    """psycopg with autocommit, on ten connections when there are many callers."""

    name = "raw psycopg"

    async def open(self) -> None:
        self._own_database = await self._connect(self._url, CONNECTIONS)
        self._our_database = await self._connect(self._ours, 1)
        connection = self._own_database.get_nowait()
        await connection.execute(
            """CREATE TABLE messages (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session text, body text)"""
        )
        await connection.execute("CREATE INDEX ON messages (session)")
        self._own_database.put_nowait(connection)

    async def conversation(self, session: str) -> Conversation:
        return _RawPostgresSession(self._own_database, self._our_database, session)

    async def _connect(self, dsn: str, count: int) -> "Connections":
        from psycopg import AsyncConnection

        idle: Connections = asyncio.LifoQueue()  # so that a lone caller always gets the same one
        for _ in range(count):
            connection = await AsyncConnection.connect(dsn, autocommit=True)
            self.exits.push_async_callback(connection.close)
            idle.put_nowait(connection)
        return idle


@dataclass(frozen=True)
class _RawPostgresSession:
    own_database: "Connections"
    our_database: "Connections"
    session: str

    async def append(self, batch: Sequence[Any]) -> None:
        rows = ", ".join(["(%s, %s)"] * len(batch))
        values = [value for body in batch for value in (self.session, body)]
        connection = await self.own_database.get()
        statement = f"INSERT INTO messages (session, body) VALUES {rows}"
        await connection.execute(statement.encode(), values)
        self.own_database.put_nowait(connection)

    async def read(self) -> Sequence[object]:
        connection = await self.our_database.get()
        cursor = connection.cursor(binary=True)
        await cursor.execute(
            """SELECT body FROM goldfish.messages WHERE session =
               (SELECT pk FROM goldfish.sessions WHERE key = %b) ORDER BY seq""",
            (self.session.encode(),),
        )
        rows = await cursor.fetchall()
        self.our_database.put_nowait(connection)
        return [json.loads(body) for (body,) in rows]

    async def close(self) -> None: ...


if TYPE_CHECKING:
    Connections = asyncio.LifoQueue[AsyncConnection[tuple[Any, ...]]]

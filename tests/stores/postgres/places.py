"""A PostgreSQL database past the store: what is in it, and somebody who holds locks there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from goldfish import ChatMessage
from goldfish.stores.base import BaseStore

Connection = psycopg.AsyncConnection[tuple[Any, ...]]


@asynccontextmanager
async def connected(dsn: str) -> AsyncIterator[Connection]:
    """A connection past the store."""
    connection = await psycopg.AsyncConnection.connect(dsn, autocommit=True)
    try:
        yield connection
    finally:
        await connection.close()


async def ask(dsn: str, statement: str, *values: object) -> Any:
    """The first value that a statement returns, past the store."""
    async with connected(dsn) as connection:
        cursor = await connection.execute(statement.encode(), values)
        row = await cursor.fetchone() if cursor.description else None
        return row[0] if row else None


@asynccontextmanager
async def holding_sessions(dsn: str) -> AsyncIterator[None]:
    """Hold the row of every session, as a long transaction of somebody else."""
    async with connected(dsn) as connection, connection.transaction():
        await connection.execute("SELECT pk FROM goldfish.sessions FOR UPDATE")
        yield


async def count_backends(dsn: str) -> int:
    """How many connections of stores the server has for this database."""
    found = await ask(
        dsn,
        """SELECT count(*) FROM pg_stat_activity
           WHERE application_name = 'goldfish' AND datname = current_database()""",
    )
    return int(found)


def said(*texts: str) -> list[ChatMessage]:
    """A message for each text, which is its id as well."""
    return [ChatMessage(role="user", content=text, id=text) for text in texts]


async def contents(store: BaseStore, session_id: str = "s") -> list[Any]:
    """What was said in a session."""
    return [message.content for message in await store.get_history(session_id)]

"""The select of one fact by the bare drivers: what get_fact is measured against.

They read the row that our store wrote, by the user and the id, and decode its JSON.
"""

import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

Select = Callable[[str, str], Awaitable[object]]

_SQLITE = """SELECT f.base, f.said FROM goldfish_fact_users AS u
    JOIN goldfish_facts AS f ON f.user = u.pk WHERE u.user_id = ? AND f.id = ?"""
_POSTGRES = b"""SELECT f.base, f.said FROM goldfish.fact_users AS u
    JOIN goldfish.facts AS f ON f.owner = u.pk WHERE u.key = %b AND f.id = %b"""


@asynccontextmanager
async def _select_sqlite(url: str) -> AsyncIterator[Select]:
    connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)

    async def select(user: str, fact_id: str) -> object:
        row = connection.execute(_SQLITE, (user, fact_id)).fetchone()
        return row and [json.loads(each) for each in row]

    yield select
    connection.close()


@asynccontextmanager
async def _select_redis(url: str) -> AsyncIterator[Select]:
    from redis.asyncio import Redis

    async with Redis.from_url(url) as client:

        async def select(user: str, fact_id: str) -> object:
            key = f"goldfish:{{u{user}}}:"
            seq = await client.hget(key + "ids", fact_id)
            row: Any = seq and await client.hget(key + "rows", seq)
            return row and [json.loads(each) for each in row.split(b"\n")[-2:]]

        yield select


@asynccontextmanager
async def _select_postgres(url: str) -> AsyncIterator[Select]:
    from psycopg import AsyncConnection

    async with await AsyncConnection.connect(url, autocommit=True) as connection:

        async def select(user: str, fact_id: str) -> object:
            cursor = connection.cursor(binary=True)
            await cursor.execute(_POSTGRES, (user.encode(), fact_id.encode()))
            row = await cursor.fetchone()
            return row and [json.loads(each) for each in row]

        yield select


_SELECTS: dict[str, Callable[[str], AbstractAsyncContextManager[Select]]] = {
    "sqlite": _select_sqlite,
    "redis": _select_redis,
    "postgres": _select_postgres,
}


def open_select(backend: str, url: str) -> AbstractAsyncContextManager[Select]:
    """Open a connection of the driver that reads what our store wrote at this URL."""
    return _SELECTS[backend](url)

"""The chat history of langchain-postgres as targets, over one connection, as it is documented.

Its sessions are UUIDs, so each id of ours is known by one. It is handed a connection, and makes
none: whoever uses it replaces a connection that broke, as these targets do.
"""

import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_postgres import PostgresChatMessageHistory
from psycopg import AsyncConnection, Connection

from goldfish.integrations.langchain import LANGCHAIN
from goldfish.integrations.langchain.adapter import AsyncLangChainMemory, LangChainMemory
from goldfish.integrations.langchain.targets.sql import session_uuid

TABLE = "chat_history"
# Else what psycopg says of connections that were cut stands between the lines of the report.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


@LANGCHAIN.target("langchain-postgres", services=["postgres"])
def postgres(sandbox: Any) -> Iterator[LangChainMemory]:
    """A table in PostgreSQL."""
    connection = Connection.connect(sandbox.postgres_dsn)
    PostgresChatMessageHistory.create_tables(connection, TABLE)

    def history_of(session_id: str) -> PostgresChatMessageHistory:
        nonlocal connection
        if connection.closed:
            connection = Connection.connect(sandbox.postgres_dsn)
        name = session_uuid(session_id)
        return PostgresChatMessageHistory(TABLE, name, sync_connection=connection)

    yield LangChainMemory(history_of)
    connection.close()


@LANGCHAIN.target("langchain-postgres-async", services=["postgres"])
async def postgres_async(sandbox: Any) -> AsyncIterator[AsyncLangChainMemory]:
    """The same through an async connection, which the calls of the process share."""
    connection = await AsyncConnection.connect(sandbox.postgres_dsn)
    await PostgresChatMessageHistory.acreate_tables(connection, TABLE)

    async def history_of(session_id: str) -> PostgresChatMessageHistory:
        nonlocal connection
        if connection.closed:
            connection = await AsyncConnection.connect(sandbox.postgres_dsn)
        name = session_uuid(session_id)
        return PostgresChatMessageHistory(TABLE, name, async_connection=connection)

    yield AsyncLangChainMemory(history_of)
    await connection.close()

"""The chat history of langchain-postgres as targets, over one connection, as documented.

Its session ids must be UUIDs, so each id of ours is mapped to one. It does not connect by itself:
its user replaces a connection that broke, as these targets do.
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
# psycopg logs the connections that were cut: keep that out of the report.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


@LANGCHAIN.target("langchain-postgres", services=["postgres"])
def postgres(sandbox: Any) -> Iterator[LangChainMemory]:
    """Keep a table in PostgreSQL."""
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
    """Keep a table in PostgreSQL, through one async connection for all calls of the process."""
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

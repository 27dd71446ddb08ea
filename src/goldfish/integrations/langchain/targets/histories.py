"""The chat histories that come with LangChain, as targets."""

import hashlib
import warnings
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from typing import Any

with warnings.catch_warnings():
    # LangChain warns once per process that these are deprecated, which their checker knows.
    warnings.simplefilter("ignore")
    from langchain_community.chat_message_histories import (
        FileChatMessageHistory,
        RedisChatMessageHistory,
    )
    from langchain_core.chat_history import InMemoryChatMessageHistory

    warnings.simplefilter("ignore")  # again: the import puts its own filters first
    InMemoryChatMessageHistory()

from goldfish.integrations.langchain import LANGCHAIN
from goldfish.integrations.langchain.adapter import AsyncLangChainMemory, LangChainMemory
from goldfish.integrations.langchain.targets.sql import (
    OPEN_AT_ONCE,
    async_sql_histories,
    sql_histories,
)

LONGEST_NAME = 200


@LANGCHAIN.target("langchain-memory")
def memory(sandbox: Any) -> LangChainMemory:
    """Keep lists in a dict, as LangChain's documentation does."""
    histories: dict[str, InMemoryChatMessageHistory] = {}
    return LangChainMemory(
        lambda session_id: histories.setdefault(session_id, InMemoryChatMessageHistory())
    )


@LANGCHAIN.target("langchain-redis", services=["redis"])
def redis(sandbox: Any, *, ttl: int | None = None) -> LangChainMemory:
    """Keep a list per session in Redis; the library's expiry is in whole seconds."""
    url = sandbox.redis_url

    @lru_cache(OPEN_AT_ONCE)
    def history_of(session_id: str) -> RedisChatMessageHistory:
        return RedisChatMessageHistory(session_id, url, ttl=ttl)

    return LangChainMemory(history_of)


@LANGCHAIN.target("langchain-sql")
def sql(sandbox: Any) -> Iterator[LangChainMemory]:
    """Keep a table in a SQLite file."""
    with sql_histories(sandbox) as history_of:
        yield LangChainMemory(history_of)


@LANGCHAIN.target("langchain-sql-async")
async def sql_async(sandbox: Any) -> AsyncIterator[AsyncLangChainMemory]:
    """Keep a table in a SQLite file, through an async engine."""
    async with async_sql_histories(sandbox) as history_of:
        yield AsyncLangChainMemory(history_of)


@LANGCHAIN.target("langchain-file")
def file(sandbox: Any) -> LangChainMemory:
    """Keep a JSON file per session."""
    return LangChainMemory(
        lambda session_id: FileChatMessageHistory(str(sandbox.path / file_name(session_id)))
    )


def file_name(session_id: str) -> str:
    """Return a safe file name that no other id has: the bytes in hex, or their hash."""
    data = session_id.encode("utf-8", "surrogatepass")
    if len(data) * 2 <= LONGEST_NAME:
        return f"id-{data.hex()}.json"
    return f"sha256-{hashlib.sha256(data).hexdigest()}.json"

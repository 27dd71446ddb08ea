"""The memory and the chat stores of LlamaIndex, as targets."""

from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from typing import Any

from llama_index.core.memory import Memory
from llama_index.core.storage.chat_store import SimpleChatStore

from goldfish.integrations.llamaindex import LLAMAINDEX
from goldfish.integrations.llamaindex.adapter import LlamaIndexChatStore, LlamaIndexMemory

KEPT = 256  # cached memories: an application keeps one for the length of a conversation
ENOUGH = 1_000_000_000  # tokens; beyond its limit, a memory archives the oldest messages


@LLAMAINDEX.target("llamaindex-memory")
async def memory(sandbox: Any) -> AsyncIterator[LlamaIndexMemory]:
    """A Memory for each session, all on one SQLite file."""
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(f"sqlite+aiosqlite:///{sandbox.path / 'memory.db'}")

    @lru_cache(KEPT)
    def memory_of(session_id: str) -> Memory:
        return Memory.from_defaults(
            session_id=session_id,
            async_engine=engine,
            token_limit=ENOUGH,
            tokenizer_fn=str.split,
        )

    yield LlamaIndexMemory(memory_of)
    await engine.dispose()


@LLAMAINDEX.target("llamaindex-chat-store-simple", claims="one opening")
def simple(sandbox: Any) -> LlamaIndexChatStore:
    """SimpleChatStore: lists in the process, which its users persist themselves."""
    return LlamaIndexChatStore(SimpleChatStore())


@LLAMAINDEX.target("llamaindex-chat-store-sqlite")
def sqlite(sandbox: Any) -> Iterator[LlamaIndexChatStore]:
    """SQLiteChatStore on a file."""
    from llama_index.storage.chat_store.sqlite import (  # type: ignore[import-untyped]
        SQLiteChatStore,
    )
    from sqlalchemy import create_engine
    from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
    from sqlalchemy.orm import sessionmaker

    path = sandbox.path / "memory.db"
    engine = create_engine(f"sqlite:///{path}")
    unused = create_async_engine(f"sqlite+aiosqlite:///{path}")  # the store requires both
    store = SQLiteChatStore(sessionmaker(engine), async_sessionmaker(unused), "chatstore")
    yield LlamaIndexChatStore(store)
    engine.dispose()


@LLAMAINDEX.target("llamaindex-chat-store-redis", services=["redis"])
def redis(sandbox: Any, *, ttl: int | None = None) -> Iterator[LlamaIndexChatStore]:
    """RedisChatStore; the library's expiry is in whole seconds."""
    from llama_index.storage.chat_store.redis import (  # type: ignore[import-untyped]
        RedisChatStore,
    )
    from redis import Redis
    from redis.asyncio import Redis as AsyncRedis

    client = Redis.from_url(sandbox.redis_url)
    unused = AsyncRedis.from_url(sandbox.redis_url)  # required, and never connected
    yield LlamaIndexChatStore(RedisChatStore(redis_client=client, aredis_client=unused, ttl=ttl))
    client.close()

"""LlamaIndex: memories and chat stores as targets.

What its documentation says was read in the packages themselves, in November 2026.
"""

from functools import partial

from goldfish.integrations.library import BuiltIn, Library, Starter

_target = partial(BuiltIn, module=f"{__name__}.targets", extra="llamaindex")
_starter = partial(Starter, imports=("llama_index",), extra="llamaindex")
# greenlet comes with sqlalchemy[asyncio]
_DATABASE = ("llama_index.core", "aiosqlite", "greenlet", "sqlalchemy")
_MEMORY = (
    "a queue of messages in a database, of which the oldest leave it when its token limit is "
    "reached (docstring of Memory), without another limit"
)

LLAMAINDEX = Library(
    name="llamaindex",
    title="LlamaIndex",
    extra="llamaindex",
    distributions=(
        "llama-index-core",
        "llama-index-storage-chat-store-sqlite",
        "llama-index-storage-chat-store-redis",
    ),
    targets=(
        _target(
            "llamaindex-memory",
            "memory",
            "LlamaIndex's Memory on a SQLite file",
            _MEMORY,
            packages=_DATABASE,
        ),
        _target(
            "llamaindex-chat-store-simple",
            "simple",
            "LlamaIndex's lists in the process",
            "lists in the process, which its users persist to a file (SimpleChatStore.persist)",
            packages=("llama_index.core",),
        ),
        _target(
            "llamaindex-chat-store-sqlite",
            "sqlite",
            "LlamaIndex's SQLiteChatStore",
            "SQLiteChatStore has no documentation of its limits",
            packages=("llama_index.core", "llama_index.storage.chat_store.sqlite"),
        ),
        _target(
            "llamaindex-chat-store-redis",
            "redis",
            "LlamaIndex's RedisChatStore",
            "RedisChatStore has no documentation of its limits",
            packages=("llama_index.core", "llama_index.storage.chat_store.redis"),
        ),
        _target(
            "agent-llamaindex",
            "sqlite",
            "a FunctionAgent of LlamaIndex with its Memory on a SQLite file",
            _MEMORY,
            module=f"{__name__}.agent",
            extra="llamaindex-agents",
            packages=(*_DATABASE, "llama_index.llms.ollama", "starlette"),
        ),
    ),
    adapters={"llamaindex": "adapter"},
    starters=(
        _starter(
            "llamaindex_memory",
            "LlamaIndex, its Memory",
            "llamaindex/starters/memory.py",
            classes=("Memory", "ChatMemoryBuffer"),
            requirements=("llama-index", "llama-index-core"),
            needs=("llama_index.core", "aiosqlite", "sqlalchemy"),
        ),
        _starter(
            "llamaindex_redis",
            "LlamaIndex, its chat store in Redis",
            "llamaindex/starters/redis.py",
            classes=("RedisChatStore",),
            requirements=("llama-index-storage-chat-store-redis",),
            needs=("llama_index.storage.chat_store.redis",),
            service="redis",
        ),
    ),
)

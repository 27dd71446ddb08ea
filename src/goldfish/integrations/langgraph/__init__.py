"""LangGraph: checkpointers and stores as targets, and a saver and a store over ours.

What its documentation says was read in the packages themselves, in November 2026.
"""

from functools import partial

from goldfish.integrations.library import BuiltIn, Library, Starter, dropins

_PACKAGES = (
    "langgraph.pregel",
    "langgraph.checkpoint.sqlite",
    "langgraph.checkpoint.postgres",
)
_checkpointer = partial(
    BuiltIn, module=f"{__name__}.targets.checkpointers", extra="langgraph", packages=_PACKAGES
)
_store = partial(
    BuiltIn,
    module=f"{__name__}.targets.stores",
    extra="langgraph",
    packages=(*_PACKAGES, "langgraph.store.sqlite", "langgraph.store.postgres", "numpy"),
)
_agent = partial(
    BuiltIn,
    module=f"{__name__}.targets.agent",
    extra="langchain-agents",
    packages=(*_PACKAGES, "langchain.agents", "langchain_openai", "starlette"),
)
_redis = partial(
    BuiltIn,
    module=f"{__name__}.targets.redis",
    extra="langgraph-redis",
    packages=("langgraph.pregel", "langgraph.checkpoint.redis"),
)
_starter = partial(Starter, imports=("langgraph",), extra="langgraph")

_SQLITE = (
    "for demos and small projects, and does not scale to several threads (docstring of SqliteSaver)"
)
_POSTGRES = (
    "recommended for production (docstring of InMemorySaver); setup() is to be called the first "
    "time it is used (docstring of PostgresSaver.setup)"
)
_REDIS = (
    "needs Redis 8, or the modules RedisJSON and RediSearch, and a call of setup() before the "
    "first use (its README), without a limit"
)
NEEDS_SEARCH = (
    "langgraph-checkpoint-redis needs RediSearch, which this server lacks (goldfish's own is a "
    "Valkey): set GOLDFISH_REDIS_URL to a Redis 8, or a Redis Stack, that is for tests"
)
_SQLITE_STORE = (
    "setup() is to be called before the first use (docstring of SqliteStore), without a limit"
)
_POSTGRES_STORE = (
    "setup() is to be called before the first use, and a sweeper removes what has expired "
    "(docstring of PostgresStore), without a limit"
)
_AGENT = (
    "a checkpointer persists the state of the graph for a single thread, such as one conversation "
    "(docstring of create_agent), without a limit"
)

LANGGRAPH = Library(
    name="langgraph",
    title="LangGraph",
    extra="langgraph",
    distributions=(
        "langgraph",
        "langgraph-checkpoint",
        "langgraph-checkpoint-sqlite",
        "langgraph-checkpoint-postgres",
        "langchain",
    ),
    targets=(
        _checkpointer(
            "langgraph-memory",
            "memory",
            "LangGraph's threads in the process",
            "only for debugging or testing (docstring of InMemorySaver)",
        ),
        _checkpointer(
            "langgraph-sqlite",
            "sqlite",
            "LangGraph's threads in SQLite",
            _SQLITE,
            documented={"CON": _SQLITE},
        ),
        _checkpointer(
            "langgraph-sqlite-async",
            "sqlite_async",
            "the same, async",
            "not for production, because of SQLite's speed of writing (docstring of "
            "AsyncSqliteSaver)",
        ),
        _checkpointer("langgraph-postgres", "postgres", "its threads in PostgreSQL", _POSTGRES),
        _checkpointer("langgraph-postgres-async", "postgres_async", "the same, async", _POSTGRES),
        _redis("langgraph-redis", "redis", "its threads in a Redis with RediSearch", _REDIS),
        _redis("langgraph-redis-async", "redis_async", "the same, async", _REDIS),
        _store(
            "langgraph-store-memory",
            "memory",
            "LangGraph's InMemoryStore",
            "a dictionary in memory (docstring of InMemoryStore)",
        ),
        _store("langgraph-store-sqlite", "sqlite", "LangGraph's SqliteStore", _SQLITE_STORE),
        _store("langgraph-store-sqlite-async", "sqlite_async", "the same, async", _SQLITE_STORE),
        _store(
            "langgraph-store-postgres", "postgres", "LangGraph's PostgresStore", _POSTGRES_STORE
        ),
        _store(
            "langgraph-store-postgres-async", "postgres_async", "the same, async", _POSTGRES_STORE
        ),
        _agent(
            "agent-langgraph",
            "sqlite",
            "an agent of LangChain with its threads in SQLite",
            f"{_AGENT}; its checkpointer is {_SQLITE}",
        ),
        _agent(
            "agent-langgraph-postgres",
            "postgres",
            "the same in PostgreSQL",
            f"{_AGENT}; its checkpointer is {_POSTGRES}",
        ),
        _agent(
            "agent-langchain-summarization",
            "summarization",
            "an agent of LangChain with SummarizationMiddleware, in SQLite",
            "older messages are summarised when a threshold is reached, recent ones are preserved, "
            "AI and tool messages stay together, and a summary that fails is an error (docstring "
            f"of SummarizationMiddleware); its checkpointer is {_SQLITE}",
        ),
    ),
    dropins=dropins("langgraph", "langgraph.pregel", "our checkpointer for LangGraph"),
    adapters={"langgraph": "adapter", "langgraph_store": "store_adapter"},
    starters=(
        _starter(
            "langgraph_sqlite",
            "LangGraph, threads in SQLite",
            "langgraph/starters/sqlite.py",
            classes=("SqliteSaver", "AsyncSqliteSaver"),
            requirements=("langgraph", "langgraph-checkpoint-sqlite"),
            needs=("langgraph.checkpoint.sqlite",),
        ),
        _starter(
            "langgraph_postgres",
            "LangGraph, threads in PostgreSQL",
            "langgraph/starters/postgres.py",
            classes=("PostgresSaver", "AsyncPostgresSaver"),
            requirements=("langgraph-checkpoint-postgres",),
            needs=("langgraph.checkpoint.postgres",),
            service="postgres",
        ),
        _starter(
            "langgraph_redis",
            "LangGraph, threads in Redis",
            "langgraph/starters/redis.py",
            classes=(
                *("RedisSaver", "AsyncRedisSaver", "ShallowRedisSaver", "AsyncShallowRedisSaver"),
            ),
            requirements=("langgraph-checkpoint-redis",),
            extra="langgraph-redis",
            needs=("langgraph.checkpoint.redis",),
            advice="It needs RediSearch, which goldfish's own server lacks: set GOLDFISH_REDIS_URL "
            "to a Redis 8, or a Redis Stack, that is for tests.",
        ),
        _starter(
            "langgraph_memory",
            "LangGraph, threads in the process",
            "langgraph/starters/memory.py",
            classes=("InMemorySaver", "MemorySaver"),
            needs=("langgraph.pregel",),
        ),
    ),
)

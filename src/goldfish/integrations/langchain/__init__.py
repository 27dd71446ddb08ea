"""LangChain: histories, classic memories and runnables as targets; a history over our stores.

What its documentation says was read in the packages themselves, in November 2026.
"""

from functools import partial

from goldfish.integrations.library import BuiltIn, Library, Starter, dropins

_TARGETS = f"{__name__}.targets"
_PACKAGES = ("langchain_community", "redis", "sqlalchemy")
_ASYNC_PACKAGES = (*_PACKAGES, "aiosqlite", "greenlet")  # greenlet: with sqlalchemy[asyncio]
_target = partial(BuiltIn, extra="langchain", packages=_PACKAGES)
_history = partial(_target, module=f"{_TARGETS}.histories")
_postgres = partial(
    _target, module=f"{_TARGETS}.postgres", packages=(*_PACKAGES, "langchain_postgres")
)
_runnable = partial(_target, module=f"{_TARGETS}.runnable")
_chain = partial(
    BuiltIn,
    extra="langchain-agents",
    module=f"{_TARGETS}.chains",
    packages=(*_PACKAGES, "langchain_classic", "langchain_openai", "starlette"),
)
_starter = partial(
    Starter,
    imports=("langchain_community", "langchain_core", "langchain", "langchain_classic"),
    requirements=("langchain", "langchain-core", "langchain-community"),
    extra="langchain",
    needs=("langchain_community",),
)

_OUTDATED = "deprecated since langchain-core 1.6.4, for the memory of LangGraph"
_MEMORY = (
    "a list in the memory of the process (docstring of InMemoryChatMessageHistory); " + _OUTDATED
)
_SQL = (
    "a history in an SQL database (docstring of SQLChatMessageHistory), without a limit; "
    + _OUTDATED
)
_POSTGRES = (
    "a history in PostgreSQL over a connection that the caller gives; its class has no "
    "documentation of its limits"
)
_RUNNABLE = (
    "manages the history of another runnable, and wants a persistent one in production (docstring "
    f"of RunnableWithMessageHistory); {_OUTDATED}"
)


_CHAIN = (
    "several threads are supported by RunnableWithMessageHistory in its place (docstring of "
    "ConversationChain)"
)


def _describe_memory(name: str) -> str:
    """Return what the documentation of a memory of langchain-classic says of its limits."""
    return (
        f"deprecated since langchain 0.3.1, for agents with checkpoints (docstring of {name}), "
        "without another limit than its name says"
    )


def _classic(kind: str, name: str) -> tuple[BuiltIn, BuiltIn]:
    """Return the targets for a memory of langchain-classic: in the process, and over SQL."""
    make = partial(
        _target,
        limits=_describe_memory(name),
        module=f"{_TARGETS}.classic",
        packages=(*_PACKAGES, "langchain_classic"),
    )
    return (
        make(f"langchain-{kind}", kind, f"{name} of langchain-classic"),
        make(f"langchain-{kind}-sql", f"{kind}_sql", "the same over SQL"),
    )


LANGCHAIN = Library(
    name="langchain",
    title="LangChain",
    extra="langchain",
    distributions=("langchain-core", "langchain-community"),
    targets=(
        _history(
            "langchain-memory",
            "memory",
            "LangChain's lists in the process",
            _MEMORY,
            documented={"one opening": _MEMORY},
        ),
        _history(
            "langchain-redis",
            "redis",
            "LangChain's history in Redis",
            "a history in a Redis database (docstring of RedisChatMessageHistory), without a "
            f"limit; {_OUTDATED}",
        ),
        _history("langchain-sql", "sql", "LangChain's history in SQL", _SQL),
        _history(
            "langchain-sql-async", "sql_async", "the same, async", _SQL, packages=_ASYNC_PACKAGES
        ),
        _history(
            "langchain-file",
            "file",
            "LangChain's history in files",
            "a history in a local file (docstring of FileChatMessageHistory), without a word on "
            f"several writers or on crashes; {_OUTDATED}",
        ),
        _postgres(
            "langchain-postgres",
            "postgres",
            "PostgresChatMessageHistory of langchain-postgres",
            _POSTGRES,
        ),
        _postgres("langchain-postgres-async", "postgres_async", "the same, async", _POSTGRES),
        _runnable(
            "langchain-runnable", "runnable", "RunnableWithMessageHistory over SQL", _RUNNABLE
        ),
        _runnable(
            "langchain-runnable-async",
            "runnable_async",
            "the same, async",
            _RUNNABLE,
            packages=_ASYNC_PACKAGES,
        ),
        *_classic("buffer", "ConversationBufferMemory"),
        *_classic("window", "ConversationBufferWindowMemory"),
        *_classic("token", "ConversationTokenBufferMemory"),
        *_classic("summary", "ConversationSummaryBufferMemory"),
        _chain(
            "agent-langchain-runnable",
            "runnable",
            "RunnableWithMessageHistory over SQL, streaming",
            _RUNNABLE,
        ),
        *(
            _chain(
                f"agent-langchain-{kind}",
                kind.replace("-", "_"),
                f"ConversationChain with {memory}",
                f"{_CHAIN}; {_describe_memory(memory)}",
            )
            for kind, memory in (
                ("buffer", "ConversationBufferMemory"),
                ("window", "ConversationBufferWindowMemory"),
                ("summary-buffer", "ConversationSummaryBufferMemory"),
            )
        ),
    ),
    dropins=dropins("langchain", "langchain_core", "our history for LangChain"),
    adapters={
        "langchain": "adapter",
        "langchain_classic": "classic",
        "langchain_runnable": "runnable",
    },
    models={"LangChainModel": "model"},
    starters=(
        _starter(
            "langchain_sql",
            "LangChain, histories in SQL",
            "langchain/starters/sql.py",
            classes=("SQLChatMessageHistory",),
        ),
        _starter(
            "langchain_redis",
            "LangChain, histories in Redis",
            "langchain/starters/redis.py",
            classes=("RedisChatMessageHistory",),
            service="redis",
        ),
        _starter(
            "langchain_file",
            "LangChain, histories in files",
            "langchain/starters/file.py",
            classes=("FileChatMessageHistory",),
        ),
        _starter(
            "langchain_memory",
            "LangChain, histories in the process",
            "langchain/starters/memory.py",
            classes=("InMemoryChatMessageHistory", "ChatMessageHistory"),
            needs=("langchain_core",),
        ),
    ),
)

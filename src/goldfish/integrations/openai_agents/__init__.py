"""The OpenAI Agents SDK: sessions as targets, and a session over our stores.

What its documentation says was read in the package itself, in November 2026.
"""

from functools import partial

from goldfish.integrations.library import BuiltIn, Library, Starter, dropins

_target = partial(
    BuiltIn, module=f"{__name__}.targets.sessions", extra="openai-agents", packages=("agents",)
)
_agent = partial(
    _target,
    module=f"{__name__}.targets.agent",
    extra="openai-agents,agents",
    packages=("agents", "starlette"),
)
_starter = partial(Starter, imports=("agents",), extra="openai-agents")

OPENAI_AGENTS = Library(
    name="openai_agents",
    title="OpenAI Agents",
    extra="openai-agents",
    distributions=("openai-agents",),
    targets=(
        _target(
            "openai-agents-sqlite",
            "sqlite",
            "SQLiteSession of OpenAI Agents",
            "with the path of a file, the history outlives the process (docstring of "
            "SQLiteSession), without a limit",
        ),
        _target(
            "openai-agents-async-sqlite",
            "async_sqlite",
            "AsyncSQLiteSession of OpenAI Agents",
            "with the path of a file, the history outlives the process (docstring of "
            "AsyncSQLiteSession), without a limit",
            packages=("agents", "aiosqlite"),
        ),
        _target(
            "openai-agents-sqlalchemy",
            "sqlalchemy",
            "SQLAlchemySession of OpenAI Agents, on SQLite",
            "create_tables is for development and testing; in production, tables are made by "
            "migrations (docstring of SQLAlchemySession)",
            # greenlet comes with sqlalchemy[asyncio]
            packages=("agents", "aiosqlite", "greenlet", "sqlalchemy"),
        ),
        _target(
            "openai-agents-advanced",
            "advanced",
            "AdvancedSQLiteSession of OpenAI Agents",
            "a SQLite session with branches and usage (docstring of AdvancedSQLiteSession), "
            "without a limit",
        ),
        _target(
            "openai-agents-redis",
            "redis",
            "RedisSession of OpenAI Agents",
            "a session in Redis (docstring of RedisSession), without a limit",
            packages=("agents", "redis"),
        ),
        _target(
            "openai-agents-encrypted",
            "encrypted",
            "EncryptedSession of OpenAI Agents, on SQLite",
            "items that expired, or are not authentic, are skipped silently (docstring of "
            "EncryptedSession)",
            packages=("agents", "cryptography"),
        ),
        _agent(
            "agent-openai-agents",
            "sqlite",
            "an agent of OpenAI Agents with a SQLiteSession",
            "a session keeps the history of a conversation between runs (docstring of "
            "SQLiteSession), without a limit",
        ),
        _agent(
            "agent-openai-agents-compaction",
            "compaction",
            "the same with an OpenAIResponsesCompactionSession around it",
            "compacts the stored history when it grows, by default from ten answers on (docstring "
            "of OpenAIResponsesCompactionSession)",
        ),
    ),
    dropins=dropins("openai_agents", "agents", "our session for OpenAI Agents"),
    adapters={"openai_agents": "adapter"},
    models={"OpenAIAgentsModel": "model"},
    starters=(
        _starter(
            "openai_agents_sqlite",
            "OpenAI Agents, sessions in SQLite",
            "openai_agents/starters/sqlite.py",
            classes=("SQLiteSession",),
            requirements=("openai-agents",),
            needs=("agents",),
        ),
        _starter(
            "openai_agents_redis",
            "OpenAI Agents, sessions in Redis",
            "openai_agents/starters/redis.py",
            classes=("RedisSession",),
            needs=("agents", "redis"),
            service="redis",
        ),
    ),
)

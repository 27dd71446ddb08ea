"""Google's ADK: session services as targets.

What its documentation says was read in the package itself, in November 2026.
"""

from functools import partial

from goldfish.integrations.library import BuiltIn, Library, Starter

_target = partial(BuiltIn, module=f"{__name__}.targets", extra="adk", packages=("google.adk",))
_starter = partial(Starter, imports=("google.adk",), extra="adk")

ADK = Library(
    name="adk",
    title="Google ADK",
    extra="adk",
    distributions=("google-adk",),
    targets=(
        _target(
            "adk-memory",
            "memory",
            "InMemorySessionService of Google's ADK",
            "for testing and development only, and not for several threads "
            "(docstring of InMemorySessionService)",
        ),
        _target(
            "adk-sqlite",
            "sqlite",
            "SqliteSessionService of Google's ADK",
            "sessions in a SQLite database (docstring of SqliteSessionService), without a limit",
            packages=("google.adk", "aiosqlite"),
        ),
        _target(
            "adk-database",
            "database",
            "DatabaseSessionService of Google's ADK, on SQLite",
            "sessions in a database (docstring of DatabaseSessionService), without a limit",
            packages=("google.adk", "aiosqlite", "greenlet", "sqlalchemy"),
        ),
        _target(
            "agent-adk",
            "sqlite",
            "an agent of Google's ADK with a SqliteSessionService",
            "sessions in a SQLite database (docstring of SqliteSessionService), without a limit",
            module=f"{__name__}.agent",
            extra="adk,agents",
            packages=("google.adk", "aiosqlite", "starlette"),
        ),
    ),
    adapters={"adk": "adapter"},
    starters=(
        _starter(
            "adk_sqlite",
            "Google's ADK, sessions in SQLite",
            "adk/starters/sqlite.py",
            classes=("SqliteSessionService",),
            requirements=("google-adk",),
            needs=("google.adk", "aiosqlite"),
        ),
        _starter(
            "adk_database",
            "Google's ADK, sessions in a database",
            "adk/starters/database.py",
            classes=("DatabaseSessionService",),
            needs=("google.adk", "aiosqlite", "sqlalchemy"),
        ),
    ),
)

"""The session services that come with Google's ADK, as targets."""

from collections.abc import AsyncIterator
from typing import Any

from google.adk.sessions import InMemorySessionService

from goldfish.integrations import documented as promises
from goldfish.integrations.adk.adapter import ADKMemory
from goldfish.targets.declaration import target

NAMES = ("goldfish", "goldfish")  # of the app and of its user


@target(name="adk-memory", claims="one opening", promises=promises.ADK_MEMORY)
def memory(sandbox: Any) -> ADKMemory:
    """InMemorySessionService, "for testing and development only"."""
    return ADKMemory(InMemorySessionService(), *NAMES)


@target(name="adk-sqlite", promises=promises.ADK_SQLITE)
def sqlite(sandbox: Any) -> ADKMemory:
    """SqliteSessionService on a file, which it opens anew for each call."""
    from google.adk.sessions.sqlite_session_service import SqliteSessionService

    return ADKMemory(SqliteSessionService(str(sandbox.path / "memory.db")), *NAMES)


@target(name="adk-database", promises=promises.ADK_DATABASE)
async def database(sandbox: Any) -> AsyncIterator[ADKMemory]:
    """DatabaseSessionService on a SQLite file."""
    from google.adk.sessions import DatabaseSessionService

    service = DatabaseSessionService(f"sqlite+aiosqlite:///{sandbox.path / 'memory.db'}")
    yield ADKMemory(service, *NAMES)
    await service.close()

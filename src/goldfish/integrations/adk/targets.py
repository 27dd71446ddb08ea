"""The session services that come with Google's ADK, as targets."""

from collections.abc import AsyncIterator
from typing import Any

from google.adk.sessions import InMemorySessionService

from goldfish.integrations.adk import ADK
from goldfish.integrations.adk.adapter import ADKMemory

NAMES = ("goldfish", "goldfish")  # of the app and of its user


@ADK.target("adk-memory", claims="one opening")
def memory(sandbox: Any) -> ADKMemory:
    """InMemorySessionService, "for testing and development only"."""
    return ADKMemory(InMemorySessionService(), *NAMES)


@ADK.target("adk-sqlite")
def sqlite(sandbox: Any) -> ADKMemory:
    """SqliteSessionService on a file, which it opens anew for each call."""
    from google.adk.sessions.sqlite_session_service import SqliteSessionService

    return ADKMemory(SqliteSessionService(str(sandbox.path / "memory.db")), *NAMES)


@ADK.target("adk-database")
async def database(sandbox: Any) -> AsyncIterator[ADKMemory]:
    """DatabaseSessionService on a SQLite file."""
    from google.adk.sessions import DatabaseSessionService

    service = DatabaseSessionService(f"sqlite+aiosqlite:///{sandbox.path / 'memory.db'}")
    yield ADKMemory(service, *NAMES)
    await service.close()

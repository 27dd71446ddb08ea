"""Checks our ADK sessions in a database: one test per promise."""

from google.adk.sessions import DatabaseSessionService

import goldfish


@goldfish.target
async def memory(sandbox):
    """Open the memory on a private SQLite file, as often as goldfish needs it."""
    # Make the session service as your application does.
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{sandbox.path / 'memory.db'}")
    yield goldfish.adapt.adk(service)
    await service.close()


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

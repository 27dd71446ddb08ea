"""Holds our ADK sessions in a database to their promises: one test for each of them."""

from google.adk.sessions import DatabaseSessionService

import goldfish


@goldfish.target
async def memory(sandbox):
    """Open the memory on a private SQLite file, as often as it is asked for."""
    # Make the session service as your application does.
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{sandbox.path / 'memory.db'}")
    yield goldfish.adapt.adk(service)
    await service.close()


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

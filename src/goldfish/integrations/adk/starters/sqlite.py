"""Holds our ADK sessions to their promises: one test for each of them."""

from google.adk.sessions.sqlite_session_service import SqliteSessionService

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on a private SQLite file, as often as it is asked for."""
    # Make the session service as your application does.
    return goldfish.adapt.adk(SqliteSessionService(str(sandbox.path / "memory.db")))


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

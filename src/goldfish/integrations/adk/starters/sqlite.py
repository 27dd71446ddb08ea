"""Checks our ADK sessions: one test per promise."""

from google.adk.sessions.sqlite_session_service import SqliteSessionService

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on a private SQLite file, as often as goldfish needs it."""
    # Make the session service as your application does.
    return goldfish.adapt.adk(SqliteSessionService(str(sandbox.path / "memory.db")))


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

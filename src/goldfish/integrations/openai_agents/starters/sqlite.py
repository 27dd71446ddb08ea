"""Checks our OpenAI Agents sessions: one test per promise."""

from contextlib import asynccontextmanager

from agents import SQLiteSession

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on a private SQLite file, as often as goldfish needs it."""

    # Make a session as your application does.
    @asynccontextmanager
    async def session_of(session_id):
        session = SQLiteSession(session_id, sandbox.path / "memory.db")
        yield session
        session.close()

    return goldfish.adapt.openai_agents(session_of)


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

"""Holds our OpenAI Agents sessions to their promises: one test for each of them."""

from contextlib import asynccontextmanager

from agents import SQLiteSession

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on a private SQLite file, as often as it is asked for."""

    # Make a session as your application does.
    @asynccontextmanager
    async def session_of(session_id):
        session = SQLiteSession(session_id, sandbox.path / "memory.db")
        yield session
        session.close()

    return goldfish.adapt.openai_agents(session_of)


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

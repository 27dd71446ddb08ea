"""Checks our memory: one test per promise."""

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory in sandbox.path, a private directory, as often as goldfish needs it."""
    # Your own memory goes here, as in: return MyMemory(sandbox.path / "memory.db"). It needs two
    # methods, async or not: add_messages(session_id, messages) and get_history(session_id); others
    # are tested if it has them. On a server: @goldfish.target(services=["redis"]) and
    # sandbox.redis_url, or "postgres" and sandbox.postgres_dsn.
    raise NotImplementedError("return your own memory here")


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

"""Holds our memory to its promises: one test for each of them."""

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on the private directory sandbox.path, as often as it is asked for."""
    # Your own store goes here. It needs two methods, async or not: add_messages(session_id,
    # messages) and get_history(session_id); what else it has is looked at too. On a server:
    # @goldfish.target(services=["redis"]) and sandbox.redis_url, or "postgres" and postgres_dsn.
    return goldfish.SQLiteMemoryStore(sandbox.path / "memory.db")


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

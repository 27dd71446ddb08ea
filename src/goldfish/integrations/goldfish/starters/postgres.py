"""Holds our memory to its promises: one test for each of them."""

import goldfish


@goldfish.target(services=["postgres"])
def memory(sandbox):
    """Open the memory on the private database sandbox.postgres_dsn, as often as asked for."""
    # Your own store goes here. It needs two methods, async or not: add_messages(session_id,
    # messages) and get_history(session_id); what else it has is looked at too.
    return goldfish.PostgresMemoryStore(sandbox.postgres_dsn)


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

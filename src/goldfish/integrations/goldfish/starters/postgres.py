"""Checks our memory: one test per promise."""

import goldfish


@goldfish.target(services=["postgres"])
def memory(sandbox):
    """Open the memory on sandbox.postgres_dsn, a private database, as often as it is needed."""
    # Your own memory goes here, as in: return MyMemory(sandbox.postgres_dsn). It needs two methods,
    # async or not: add_messages(session_id, messages) and get_history(session_id); others are
    # tested if it has them.
    raise NotImplementedError("return your own memory here")


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

"""Checks our memory: one test per promise."""

import goldfish


@goldfish.target(services=["redis"])
def memory(sandbox):
    """Open the memory on sandbox.redis_url, a private Redis, as often as goldfish needs it."""
    # Your own memory goes here, as in: return MyMemory(sandbox.redis_url). It needs two methods,
    # async or not: add_messages(session_id, messages) and get_history(session_id); others are
    # tested if it has them.
    raise NotImplementedError("return your own memory here")


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

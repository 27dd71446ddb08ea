"""Holds our LangGraph threads to their promises: one test for each of them."""

from langgraph.checkpoint.memory import InMemorySaver

import goldfish


# Nobody but this process sees what it holds: say so, or it fails for what it never promised.
@goldfish.target(claims="one opening")
def memory(sandbox):
    """Open the memory; sandbox.path and sandbox.postgres_dsn are private places for another."""
    return goldfish.adapt.langgraph(InMemorySaver(), asynchronous=True)


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

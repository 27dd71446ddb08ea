"""Checks our LangGraph threads: one test per promise."""

from langgraph.checkpoint.memory import InMemorySaver

import goldfish


# Only this process sees what it holds: claim no more, or it fails what it never promised.
@goldfish.target(claims="one opening")
def memory(sandbox):
    """Open the memory; sandbox.path and sandbox.postgres_dsn are there for other checkpointers."""
    return goldfish.adapt.langgraph(InMemorySaver(), asynchronous=True)


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

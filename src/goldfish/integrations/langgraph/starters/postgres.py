"""Checks our LangGraph threads in PostgreSQL: one test per promise."""

from langgraph.checkpoint.postgres import PostgresSaver

import goldfish


@goldfish.target(services=["postgres"])
def memory(sandbox):
    """Open the memory on sandbox.postgres_dsn, a private database, as often as it is needed."""
    # Make the checkpointer as your application does.
    with PostgresSaver.from_conn_string(sandbox.postgres_dsn) as saver:
        saver.setup()
        yield goldfish.adapt.langgraph(saver)


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

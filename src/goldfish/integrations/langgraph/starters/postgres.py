"""Holds our LangGraph threads in PostgreSQL to their promises: one test for each of them."""

from langgraph.checkpoint.postgres import PostgresSaver

import goldfish


@goldfish.target(services=["postgres"])
def memory(sandbox):
    """Open the memory on the private database sandbox.postgres_dsn, as often as asked for."""
    # Make the checkpointer as your application does.
    with PostgresSaver.from_conn_string(sandbox.postgres_dsn) as saver:
        saver.setup()
        yield goldfish.adapt.langgraph(saver)


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

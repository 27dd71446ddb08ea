"""Holds our LangGraph threads to their promises: one test for each of them."""

from langgraph.checkpoint.sqlite import SqliteSaver

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on a private SQLite file, as often as it is asked for."""
    # Make the checkpointer as your application does.
    with SqliteSaver.from_conn_string(str(sandbox.path / "checkpoints.db")) as saver:
        yield goldfish.adapt.langgraph(saver)


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

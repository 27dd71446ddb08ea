"""Checks our LangGraph threads: one test per promise."""

from langgraph.checkpoint.sqlite import SqliteSaver

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on a private SQLite file, as often as goldfish needs it."""
    # Make the checkpointer as your application does.
    with SqliteSaver.from_conn_string(str(sandbox.path / "checkpoints.db")) as saver:
        yield goldfish.adapt.langgraph(saver)


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

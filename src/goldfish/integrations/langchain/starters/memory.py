"""Checks our LangChain histories: one test per promise."""

from langchain_core.chat_history import InMemoryChatMessageHistory

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory; sandbox.path and sandbox.redis_url are private places for what it keeps."""
    histories = {}

    # Make a history as your application does: this is what it gives RunnableWithMessageHistory.
    def history_of(session_id):
        return histories.setdefault(session_id, InMemoryChatMessageHistory())

    return goldfish.adapt.langchain(history_of)


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

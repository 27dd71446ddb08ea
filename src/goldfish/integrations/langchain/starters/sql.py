"""Checks our LangChain histories in SQL: one test per promise."""

from langchain_community.chat_message_histories import SQLChatMessageHistory
from sqlalchemy import create_engine

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on a private SQLite file, as often as goldfish needs it."""
    # Or services=["postgres"] above and the address sandbox.postgres_dsn here.
    engine = create_engine(f"sqlite:///{sandbox.path / 'memory.db'}")

    # Make a history as your application does: this is what it gives RunnableWithMessageHistory.
    def history_of(session_id):
        return SQLChatMessageHistory(session_id, connection=engine)

    yield goldfish.adapt.langchain(history_of)
    engine.dispose()


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

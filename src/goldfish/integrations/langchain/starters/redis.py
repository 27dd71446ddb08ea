"""Checks our LangChain histories in Redis: one test per promise."""

from langchain_community.chat_message_histories import RedisChatMessageHistory

import goldfish


@goldfish.target(services=["redis"])
def memory(sandbox):
    """Open the memory on sandbox.redis_url, a private Redis, as often as goldfish needs it."""

    # Make a history as your application does: this is what it gives RunnableWithMessageHistory.
    def history_of(session_id):
        return RedisChatMessageHistory(session_id, sandbox.redis_url)

    return goldfish.adapt.langchain(history_of)


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

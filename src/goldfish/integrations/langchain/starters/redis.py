"""Holds our LangChain histories in Redis to their promises: one test for each of them."""

from langchain_community.chat_message_histories import RedisChatMessageHistory

import goldfish


@goldfish.target(services=["redis"])
def memory(sandbox):
    """Open the memory on the private Redis at sandbox.redis_url, as often as it is asked for."""

    # Make a history as your application does: this is what it gives RunnableWithMessageHistory.
    def history_of(session_id):
        return RedisChatMessageHistory(session_id, sandbox.redis_url)

    return goldfish.adapt.langchain(history_of)


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

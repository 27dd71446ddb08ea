"""Holds our LangChain histories in files to their promises: one test for each of them."""

from hashlib import sha256

from langchain_community.chat_message_histories import FileChatMessageHistory

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory on the private directory sandbox.path, as often as it is asked for."""

    # Make a history as your application does: this is what it gives RunnableWithMessageHistory.
    def history_of(session_id):
        name = sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
        return FileChatMessageHistory(str(sandbox.path / f"{name}.json"))

    return goldfish.adapt.langchain(history_of)


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

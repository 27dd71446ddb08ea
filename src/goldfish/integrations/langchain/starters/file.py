"""Checks our LangChain histories in files: one test per promise."""

from hashlib import sha256

from langchain_community.chat_message_histories import FileChatMessageHistory

import goldfish


@goldfish.target
def memory(sandbox):
    """Open the memory in sandbox.path, a private directory, as often as goldfish needs it."""

    # Make a history as your application does: this is what it gives RunnableWithMessageHistory.
    def history_of(session_id):
        name = sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
        return FileChatMessageHistory(str(sandbox.path / f"{name}.json"))

    return goldfish.adapt.langchain(history_of)


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

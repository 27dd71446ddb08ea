"""The service's memory as it went to production. Its tests were green, on one worker."""

from collections.abc import Iterator
from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory

import goldfish

# The fault: every worker process has a dict of its own. With one worker all tests are green.
histories: dict[str, BaseChatMessageHistory] = {}


def history_of(session_id: str) -> BaseChatMessageHistory:
    """What was said in a session, as far as this worker took the requests."""
    return histories.setdefault(session_id, InMemoryChatMessageHistory())


@goldfish.target(carries={"role", "content"}, retries=False)
def memory(sandbox: Any) -> Iterator[Any]:
    """How goldfish uses it: over HTTP, through three workers."""
    from fleet import fleet  # the workers of the service have no use for its client

    with fleet(sandbox.path, CHAT_MEMORY="memory_broken") as service:
        yield service

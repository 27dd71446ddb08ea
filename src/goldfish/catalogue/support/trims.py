"""A trim by more than a number of messages, as the store takes it."""

from typing import Any

from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client
from goldfish.messages import ChatMessage

MANY = 1_000


def limit_tokens(client: Client, budget: int) -> dict[str, Any]:
    """Return how a trim is told how many tokens to keep, and how to count them if it asks."""
    counting = {"count": count_words} if client.spells("trim", "count") else {}
    return {"max_tokens": budget, **counting}


def count_words(message: ChatMessage) -> int:
    """Return the words of a message, which stand for its tokens."""
    return len(str(message.content).split())


async def trim(client: Client, session: str, **options: Any) -> None:
    """Trim by these options, and by a large keep_last where it cannot be left out."""
    try:
        await client.call("trim", session, **options)
    except StoreError:
        if "keep_last" in options or not client.spells("trim", "keep_last"):
            raise
        await client.call("trim", session, keep_last=MANY, **options)

"""A new session with messages in it, as most checks begin."""

from collections.abc import Iterable
from typing import Any

from goldfish.harness.memory import Memory, contents_of
from goldfish.messages import ChatMessage


async def write_session(
    memory: Memory, count: int, hint: str = "session"
) -> tuple[str, list[ChatMessage]]:
    """Add a batch of that many messages to a new session; return its id and the batch."""
    session, batch = memory.session(hint), memory.messages(count)
    await memory.client.add(session, batch)
    return session, batch


async def expect_usable(
    memory: Memory, session: str, *, count: int = 2, gone: Iterable[Any] = ()
) -> None:
    """Raise unless an empty session takes new messages and returns these alone."""
    later = memory.messages(count)
    await memory.client.add(session, later)
    await memory.client.expect(session, contents_of(later), gone=gone)

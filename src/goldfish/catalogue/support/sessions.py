"""Sessions of a check: to write one, to use it again, and to list them."""

from collections.abc import Iterable, Mapping
from typing import Any

from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory, contents_of, field
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


def ids_of(messages: Iterable[ChatMessage]) -> list[str]:
    """Return the ids by which messages are deleted."""
    return [message.id for message in messages]


async def list_sessions(client: Client, **options: Any) -> list[Any]:
    """Return the ids that list_sessions returns, plain or as a field of its items."""
    found = await client.call("list_sessions", **options)
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise Violation(f"wrong: list_sessions returned {type(found).__name__}, not session ids")
    if isinstance(found, Mapping):
        return list(found)
    return [each if isinstance(each, str) else field(each, "session_id") for each in found]

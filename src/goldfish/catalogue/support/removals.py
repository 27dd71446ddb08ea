"""Removals of some messages of a session, in every way that a store has."""

from collections.abc import Iterable, Sequence

from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError
from goldfish.harness.memory import Client, Memory
from goldfish.messages import ChatMessage


def find_removals(memory: Memory, client: Client, ways: Iterable[str]) -> list[str]:
    """Return those of these methods that the store has; raise UnsupportedError without any."""
    ways = list(ways)
    if found := [way for way in ways if _has(memory, client, way)]:
        return found
    raise UnsupportedError(Reason.of(Why.LACKS_METHODS, ways[0], ways[-1]))


def _has(memory: Memory, client: Client, way: str) -> bool:
    if way == "delete_messages" and "id" not in memory.target.carries:
        return False
    return client.has(way, "keep_last") if way == "trim" else client.has(way)


async def remove(
    client: Client, session: str, batch: Sequence[ChatMessage], way: str
) -> list[ChatMessage]:
    """Remove from a session that has this batch; return what is left, the newest mostly."""
    if way == "trim":
        kept = len(batch) // 2
        await client.call("trim", session, keep_last=kept)
        return list(batch[-kept:])
    if way == "clear":
        await client.call("clear", session)
        return []
    await client.call("delete_messages", session, [each.id for each in batch[1:-1]])
    return [batch[0], batch[-1]]

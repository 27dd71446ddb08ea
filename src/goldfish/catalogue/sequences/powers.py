"""What a memory can be asked in a sequence, and how it decides what memories may decide."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from goldfish.harness.memory import MISSING, Client, Memory, contents_of, field
from goldfish.model.traits import Traits

HOUR = 3600.0
SLACK = 600.0  # seconds by which a deadline of hours may be nearer than when it was set


@dataclass(frozen=True)
class Powers:
    """What can be asked, and how the memory decides what memories may decide."""

    can: frozenset[str]
    traits: Traits
    fields: tuple[str, ...] = ()  # of messages, that come back as they were given


class Quiet:
    """One client that is asked for the simplest use of each power.

    A power whose simplest use fails is not asked for in sequences: another check is about it.
    """

    def __init__(self, memory: Memory, client: Client) -> None:
        self.memory, self.client = memory, client
        self.can: set[str] = set()
        self.traits = Traits(ids_are_kept=False, empty_sessions_keep_deadlines=False)
        self.fields: tuple[str, ...] = ()

    def decide(self, **traits: bool) -> None:
        """Note how the memory decides."""
        self.traits = replace(self.traits, **traits)

    async def write(self, count: int = 1) -> tuple[str, list[Any]]:
        """Write a session; return its id and its messages."""
        session, batch = self.memory.session("quiet"), self.memory.messages(count)
        await self.client.add(session, batch)
        return session, batch

    async def has(self, session: str, messages: Iterable[Any]) -> bool:
        """Return True if the session has exactly these messages."""
        return await self.client.contents(session) == contents_of(messages)


def is_time_left(left: Any, seconds: float) -> bool:
    """Return True if this is about the time that a deadline of hours has left."""
    if isinstance(left, bool) or not isinstance(left, int | float):
        return False
    return seconds - SLACK < left <= seconds + 2


async def search(client: Client, sessions: list[str], query: str, **options: Any) -> list[Any]:
    """Return the contents of the messages that a search finds."""
    found = await client.call("search_history", sessions, query, **options)
    return [read_content(each) for each in found]


def read_content(item: Any) -> Any:
    """Return the content of an answer of a search: of its message, or its own."""
    if isinstance(item, list | tuple) and item:
        item = item[0]
    if isinstance(item, str):
        return item
    message = field(item, "message")
    found = field(item if message is MISSING else message, "content")
    return field(item, "text") if found is MISSING else found

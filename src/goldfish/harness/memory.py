"""What a check holds in its hands: the memory under test, and words of its own to say to it."""

import contextlib
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

from goldfish.harness.acceptable import make_acceptable, make_acceptable_id
from goldfish.harness.client import Client, more_patience
from goldfish.harness.errors import OpeningError
from goldfish.harness.fields import MISSING, contents_of, field, identity, messages_in
from goldfish.harness.openings import Openings, Record
from goldfish.harness.patience import Patience
from goldfish.harness.transcript import Transcript
from goldfish.messages import ChatMessage
from goldfish.world.sandbox import Sandbox

__all__ = [
    "MISSING",
    "Client",
    "Memory",
    "OpeningError",
    "Record",
    "contents_of",
    "field",
    "identity",
    "messages_in",
    "more_patience",
]

PACE = 50  # messages by which the pace of a store is known


@dataclass
class Memory(Openings):
    """The target in one sandbox, for one check; ``client`` is its newest opening."""

    code: str = ""  # of the check
    effort: float = 1.0  # how many more tries than usual to give to what happens by chance
    own_servers: bool = False  # whether what is made afresh gets servers of its own
    until: float = math.inf  # when to stop trying, by the monotonic clock

    def __post_init__(self) -> None:
        super().__post_init__()
        self._made = 0

    def promised(self, code: str) -> bool:
        """Return True if the memory makes the promise of this check, which another may build on."""
        return code not in self.target.declines

    @contextlib.asynccontextmanager
    async def afresh(self) -> "AsyncIterator[Memory]":
        """Open the same target in a new sandbox, for as long as the block runs."""
        sandbox = Sandbox(own_servers=self.own_servers)
        try:
            sandbox.provide(self.target.services)
            memory = replace(self, sandbox=sandbox, transcript=Transcript(self.transcript))
            try:
                yield memory
            finally:
                await memory.discard()
        finally:
            sandbox.close()

    async def affordable(self, wanted: int, *, least: int) -> int:
        """Return so many messages, or as many as this store takes while one waits for a call."""
        patience = Patience(self.deadline)  # which counts what the machine granted
        await patience.spend_on(self.client.add(self.session("pace"), self.messages(PACE)))
        granted = max(patience.granted, 1e-6)  # nothing counts while modules are imported
        return max(least, min(wanted, int(self.deadline * PACE / granted)))

    def text(self, words: str = "hello") -> str:
        """Return words that no other message has: a tag tells which check wrote them."""
        self._made += 1
        return f"[{self.code}-{self._made}] {words}"

    def message(self, content: Any = None, **fields: Any) -> ChatMessage:
        """Return a message with contents of its own, and no field that the memory refuses."""
        content = self.text() if content is None else content
        return ChatMessage(content=content, **make_acceptable(fields, self.target))

    def message_id(self, name: str) -> str:
        """Return an id of a message that the memory takes: the name, if it may be anything."""
        return make_acceptable_id(name, self.target)

    def messages(self, count: int, **fields: Any) -> list[ChatMessage]:
        """Return that many messages, each with contents of its own."""
        return [self.message(**fields) for _ in range(count)]

    def session(self, hint: str = "session") -> str:
        """Return an ordinary session id that no other check uses."""
        self._made += 1
        return f"{hint}-{self.random.randrange(16**6):06x}-{self._made}"

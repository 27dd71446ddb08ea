"""The values that a memory holds: messages, facts and snapshots, all frozen."""

import os
import time
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field


def new_id() -> str:
    """Return a fresh id that sorts by the time it was made (the layout of UUID version 7).

    Ids that grow with time keep database indexes compact: a random id would touch a random page.
    """
    stamp = (time.time_ns() // 1_000_000).to_bytes(6, "big").hex()
    noise = os.urandom(10).hex()
    return f"{stamp}7{noise[:3]}{'89ab'[int(noise[3], 16) & 3]}{noise[4:19]}"


def _now() -> datetime:
    return datetime.now(UTC)


Parts = list[dict[str, Any]]
Metadata = Annotated[dict[str, Any], BeforeValidator(lambda value: {} if value is None else value)]
ToolCalls = Annotated[Parts, BeforeValidator(lambda value: [] if value is None else value)]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class ChatMessage(_Value):
    """One message of a conversation; its id is made by the client, so that a retry is a no-op."""

    role: str
    content: str | Parts
    id: str = Field(default_factory=new_id)
    created_at: AwareDatetime = Field(default_factory=_now)
    name: str | None = None
    tool_calls: ToolCalls = Field(default_factory=list)
    tool_call_id: str | None = None
    metadata: Metadata = Field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.id)


class Fact(_Value):
    """One thing known about a user, in words."""

    id: str
    user_id: str
    text: str
    metadata: Metadata = Field(default_factory=dict)
    created_at: AwareDatetime = Field(default_factory=_now)
    updated_at: AwareDatetime = Field(default_factory=_now)
    times_seen: int = 1
    near: list[str] = Field(default_factory=list)

    def __hash__(self) -> int:
        return hash(self.id)


class Recollection(_Value):
    """A fact that was recalled, how well it fits, and the parts of that score."""

    fact: Fact
    score: float = 0.0
    why: dict[str, float] = Field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.fact)


class Found(_Value):
    """A message that a search of the history found, and how well it fits."""

    session_id: str
    message: ChatMessage
    score: float = 0.0
    why: dict[str, float] = Field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.session_id, self.message))


class Snapshot(_Value):
    """A saved state of a session."""

    id: str
    session_id: str
    label: str | None = None
    created_at: AwareDatetime = Field(default_factory=_now)
    message_count: int = 0

    def __hash__(self) -> int:
        return hash(self.id)

"""Who takes part: a contender gives out conversations, a conversation appends and reads."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from goldfish import ChatMessage, open_store
from goldfish.stores.base import BaseStore

Family = Literal["goldfish", "raw", "langchain-community", "openai-agents"]


class Conversation(Protocol):
    """One session of a contender."""

    async def append(self, batch: Sequence[Any]) -> None:
        """Store prepared messages in one step."""

    async def read(self) -> Sequence[object]:
        """All messages of the session, decoded."""

    async def close(self) -> None:
        """Give back what belongs to this session alone."""


class Contender(ABC):
    """Somebody who stores conversations; what it opens is closed with its exit stack."""

    name: ClassVar[str]
    family: ClassVar[Family]

    def __init__(self) -> None:
        self.exits = AsyncExitStack()

    async def open(self) -> None:  # noqa: B027 - some have nothing to open
        """Connect; not timed."""

    @abstractmethod
    def prepare(self, messages: Sequence[ChatMessage]) -> list[Any]:
        """The messages in the contender's own form; not timed."""

    @abstractmethod
    async def conversation(self, session: str) -> Conversation:
        """A session to append to and to read; not timed."""


class Goldfish(Contender):
    """Our store at a URL."""

    name = "goldfish"
    family = "goldfish"

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    async def open(self) -> None:
        self._store = await self.exits.enter_async_context(open_store(self._url))

    def prepare(self, messages: Sequence[ChatMessage]) -> list[Any]:
        return list(messages)

    async def conversation(self, session: str) -> Conversation:
        return _GoldfishSession(self._store, session)


@dataclass(frozen=True)
class _GoldfishSession:
    store: BaseStore
    session: str

    async def append(self, batch: Sequence[Any]) -> None:
        await self.store.add_messages(self.session, batch)

    async def read(self) -> Sequence[object]:
        return await self.store.get_history(self.session)

    async def close(self) -> None: ...

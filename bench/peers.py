"""The peers, used as their documentation says and with the settings they come with.

They are imported by name when they open, because they may not be installed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

from bench.contenders import Contender, Conversation
from goldfish import ChatMessage


class Peer(Contender):
    """Another library's store at a URL."""

    modules: ClassVar[tuple[str, ...]]

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    @classmethod
    def is_installed(cls) -> bool:
        """Whether all modules that it needs are there."""
        return all(find_spec(module) is not None for module in cls.modules)


class _LangChain(Peer):
    family = "langchain-community"

    def prepare(self, messages: Sequence[ChatMessage]) -> list[Any]:
        types = import_module("langchain_core.messages")
        kinds = {"user": types.HumanMessage, "assistant": types.AIMessage}
        return [kinds[message.role](message.content, id=message.id) for message in messages]

    def _histories(self) -> Any:
        return import_module("langchain_community.chat_message_histories")


class LangChainSQL(_LangChain):
    """SQLChatMessageHistory over SQLite, without an event loop."""

    name = "langchain SQL"
    modules = ("langchain_community", "sqlalchemy", "greenlet")

    async def open(self) -> None:
        self._engine = import_module("sqlalchemy").create_engine(self._url)
        self.exits.callback(self._engine.dispose)

    async def conversation(self, session: str) -> Conversation:
        history = self._histories().SQLChatMessageHistory(session, connection=self._engine)
        return _BlockingHistory(history)


class LangChainAsyncSQL(_LangChain):
    """SQLChatMessageHistory over SQLite, on aiosqlite."""

    name = "langchain SQL (async)"
    modules = ("langchain_community", "sqlalchemy", "greenlet", "aiosqlite")

    async def open(self) -> None:
        url = self._url.replace("sqlite://", "sqlite+aiosqlite://")
        self._engine = import_module("sqlalchemy.ext.asyncio").create_async_engine(url)
        self.exits.push_async_callback(self._engine.dispose)

    async def conversation(self, session: str) -> Conversation:
        history = self._histories().SQLChatMessageHistory(session, connection=self._engine)
        await history.aget_messages()  # makes the table
        return _AsyncHistory(history)


class LangChainRedis(_LangChain):
    """RedisChatMessageHistory, which has no async form of its own."""

    name = "langchain Redis"
    modules = ("langchain_community", "redis")

    async def conversation(self, session: str) -> Conversation:
        history = self._histories().RedisChatMessageHistory(session, url=self._url)
        self.exits.callback(history.redis_client.close)
        return _BlockingHistory(history)


@dataclass(frozen=True)
class _BlockingHistory:
    history: Any

    async def append(self, batch: Sequence[Any]) -> None:
        self.history.add_messages(batch)

    async def read(self) -> Sequence[object]:
        messages: Sequence[object] = self.history.messages
        return messages

    async def close(self) -> None: ...


@dataclass(frozen=True)
class _AsyncHistory:
    history: Any

    async def append(self, batch: Sequence[Any]) -> None:
        await self.history.aadd_messages(batch)

    async def read(self) -> Sequence[object]:
        messages: Sequence[object] = await self.history.aget_messages()
        return messages

    async def close(self) -> None: ...


class _OpenAIAgents(Peer):
    family = "openai-agents"

    def prepare(self, messages: Sequence[ChatMessage]) -> list[Any]:
        return [{"role": message.role, "content": message.content} for message in messages]


class OpenAIAgentsSQLite(_OpenAIAgents):
    """SQLiteSession with a file."""

    name = "openai-agents SQLite"
    modules = ("agents",)

    async def conversation(self, session: str) -> Conversation:
        path = self._url.removeprefix("sqlite:///")
        return _SQLiteAgentSession(import_module("agents").SQLiteSession(session, path))


class OpenAIAgentsRedis(_OpenAIAgents):
    """RedisSession on a client that all sessions share."""

    name = "openai-agents Redis"
    modules = ("agents", "redis")

    async def open(self) -> None:
        client = import_module("redis.asyncio").Redis.from_url(self._url)
        self._client = await self.exits.enter_async_context(client)

    async def conversation(self, session: str) -> Conversation:
        memory = import_module("agents.extensions.memory")
        return _AgentSession(memory.RedisSession(session, redis_client=self._client))


@dataclass(frozen=True)
class _AgentSession:
    session: Any

    async def append(self, batch: Sequence[Any]) -> None:
        await self.session.add_items(batch)

    async def read(self) -> Sequence[object]:
        items: Sequence[object] = await self.session.get_items()
        return items

    async def close(self) -> None: ...


class _SQLiteAgentSession(_AgentSession):
    async def close(self) -> None:
        self.session.close()  # it holds a connection per thread

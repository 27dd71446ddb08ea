"""A chat history of LangChain as a store, by its sync or by its async methods."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory

from goldfish.integrations.langchain.messages import from_langchain, to_langchain
from goldfish.integrations.mirrored import MirroredList
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import MESSAGE_FIELDS

HistoryOf = Callable[[str], BaseChatMessageHistory]
AsyncHistoryOf = Callable[[str], BaseChatMessageHistory | Awaitable[BaseChatMessageHistory]]


class _Declared:
    """What LangChain's histories keep of a message, whatever their backend."""

    carries = MESSAGE_FIELDS - {"created_at"}  # LangChain has no place for a time
    retries = False  # an id that the session has is added once more


class LangChainMemory(_Declared):
    """The store that calls ``add_messages``, ``messages`` and ``clear`` of a session's history."""

    def __init__(self, history_of: HistoryOf) -> None:
        self._history_of = history_of

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Hand the batch to the history of the session, as messages of LangChain."""
        self._history_of(session_id).add_messages([to_langchain(each) for each in messages])

    def get_history(self, session_id: str) -> list[ChatMessage]:
        """What the history gives; to edit this list is to edit the one that LangChain gave."""
        return handed_out(self._history_of(session_id).messages)

    def clear(self, session_id: str) -> None:
        """Clear the history of the session."""
        self._history_of(session_id).clear()


class AsyncLangChainMemory(_Declared):
    """The store that awaits ``aadd_messages``, ``aget_messages`` and ``aclear``.

    Histories that do not override these run their sync methods in a thread of the loop's executor.
    What gives the history of a session may have to be awaited itself.
    """

    def __init__(self, history_of: AsyncHistoryOf) -> None:
        self._history_of = history_of

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Hand the batch to the history of the session, as messages of LangChain."""
        history = await self._history(session_id)
        await history.aadd_messages([to_langchain(each) for each in messages])

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """What the history gives; to edit this list is to edit the one that LangChain gave."""
        return handed_out(await (await self._history(session_id)).aget_messages())

    async def clear(self, session_id: str) -> None:
        """Clear the history of the session."""
        await (await self._history(session_id)).aclear()

    async def _history(self, session_id: str) -> BaseChatMessageHistory:
        given = self._history_of(session_id)
        return await given if inspect.isawaitable(given) else given


def handed_out(given: Any) -> list[ChatMessage]:
    """Our messages for those that LangChain gave, whose list they stay tied to."""
    if isinstance(given, list):
        return MirroredList(given, from_langchain, to_langchain)
    return [from_langchain(each) for each in given]

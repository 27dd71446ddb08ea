"""A chat history of LangChain as a store, driven by its sync or its async methods."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, overload

from langchain_core.chat_history import BaseChatMessageHistory

from goldfish.integrations.langchain.messages import from_langchain, to_langchain
from goldfish.integrations.mirrored_list import mirror
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import MESSAGE_FIELDS

HistoryOf = Callable[[str], BaseChatMessageHistory]
AsyncHistoryOf = Callable[[str], BaseChatMessageHistory | Awaitable[BaseChatMessageHistory]]


class _Declared:
    """What LangChain's histories keep of a message, whatever their backend."""

    carries = MESSAGE_FIELDS - {"created_at"}  # LangChain has no place for a time
    retries = False  # a message whose id the session has is added again


class LangChainMemory(_Declared):
    """The store that calls ``add_messages``, ``messages`` and ``clear`` of a session's history."""

    def __init__(self, history_of: HistoryOf) -> None:
        self._history_of = history_of

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Add the batch to the history of the session, as messages of LangChain."""
        self._history_of(session_id).add_messages([to_langchain(each) for each in messages])

    def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return the history; an edit of this list edits the one that LangChain gave."""
        return mirror(self._history_of(session_id).messages, from_langchain, to_langchain)

    def clear(self, session_id: str) -> None:
        """Clear the history of the session."""
        self._history_of(session_id).clear()


class AsyncLangChainMemory(_Declared):
    """The store that awaits ``aadd_messages``, ``aget_messages`` and ``aclear``.

    Histories that do not override these run their sync methods in a thread of the loop's executor.
    The function that gives a session's history may be async itself.
    """

    def __init__(self, history_of: AsyncHistoryOf) -> None:
        self._history_of = history_of

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Add the batch to the history of the session, as messages of LangChain."""
        history = await self._history(session_id)
        await history.aadd_messages([to_langchain(each) for each in messages])

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return the history; an edit of this list edits the one that LangChain gave."""
        history = await self._history(session_id)
        return mirror(await history.aget_messages(), from_langchain, to_langchain)

    async def clear(self, session_id: str) -> None:
        """Clear the history of the session."""
        await (await self._history(session_id)).aclear()

    async def _history(self, session_id: str) -> BaseChatMessageHistory:
        given = self._history_of(session_id)
        return await given if inspect.isawaitable(given) else given


@overload
def langchain(
    history_of: HistoryOf, *, asynchronous: Literal[False] = False
) -> LangChainMemory: ...


@overload
def langchain(history_of: HistoryOf, *, asynchronous: Literal[True]) -> AsyncLangChainMemory: ...


def langchain(
    history_of: HistoryOf, *, asynchronous: bool = False
) -> LangChainMemory | AsyncLangChainMemory:
    """Return a store over chat histories of LangChain.

    ``history_of`` makes the history of a session id. It is called again for each call, as
    LangChain's own ``RunnableWithMessageHistory`` does. ``asynchronous=True`` drives
    ``aadd_messages``, ``aget_messages`` and ``aclear`` instead of the sync methods.
    """
    return AsyncLangChainMemory(history_of) if asynchronous else LangChainMemory(history_of)

"""A chat history of LangChain as a store, driven by its sync or its async methods."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, overload

from langchain_core.chat_history import BaseChatMessageHistory

from goldfish.integrations.langchain.messages import from_langchain, to_langchain
from goldfish.integrations.mirrored_list import mirror
from goldfish.integrations.two_ways import TwoWays, in_sync, settle
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import MESSAGE_FIELDS

HistoryOf = Callable[[str], BaseChatMessageHistory]
AsyncHistoryOf = Callable[[str], BaseChatMessageHistory | Awaitable[BaseChatMessageHistory]]


class _Histories(TwoWays):
    """What LangChain's histories keep of a message, whatever their backend."""

    carries = MESSAGE_FIELDS - {"created_at"}  # LangChain has no place for a time
    retries = False  # a message whose id the session has is added again

    def __init__(self, history_of: AsyncHistoryOf) -> None:
        self._history_of = history_of


class AsyncLangChainMemory(_Histories):
    """The store that awaits ``aadd_messages``, ``aget_messages`` and ``aclear``.

    Histories that do not override these run their sync methods in a thread of the loop's executor.
    The function that gives a session's history may be async itself.
    """

    asynchronous = True

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Add the batch to the history of the session, as messages of LangChain."""
        history = await settle(self._history_of(session_id))
        batch = [to_langchain(each) for each in messages]
        await self._call(history.add_messages, history.aadd_messages, batch)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return the history; an edit of this list edits the one that LangChain gave."""
        history = await settle(self._history_of(session_id))
        found = await self._call(lambda: history.messages, history.aget_messages)
        return mirror(found, from_langchain, to_langchain)

    async def clear(self, session_id: str) -> None:
        """Clear the history of the session."""
        history = await settle(self._history_of(session_id))
        await self._call(history.clear, history.aclear)


class LangChainMemory(_Histories):
    """The store that calls ``add_messages``, ``messages`` and ``clear`` of a session's history."""

    add_messages = in_sync(AsyncLangChainMemory.add_messages)
    get_history = in_sync(AsyncLangChainMemory.get_history)
    clear = in_sync(AsyncLangChainMemory.clear)


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

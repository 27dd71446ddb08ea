"""The memories and chat stores of LlamaIndex as a store."""

from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
from llama_index.core.storage.chat_store import BaseChatStore

from goldfish.integrations.llamaindex.messages import from_llamaindex, to_llamaindex
from goldfish.integrations.mirrored_list import mirror
from goldfish.integrations.two_ways import TwoWays, in_sync
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import MESSAGE_FIELDS

MemoryOf = Callable[[str], BaseMemory]


class _Declared:
    """What LlamaIndex keeps of a message, wherever it keeps it."""

    carries = MESSAGE_FIELDS - {"created_at"}  # LlamaIndex has no place for a time
    retries = False  # a message whose id the session has is added again


class LlamaIndexMemory(_Declared):
    """The store that awaits ``aput_messages``, ``aget`` and ``areset`` of a session's memory."""

    def __init__(self, memory_of: MemoryOf) -> None:
        self._memory_of = memory_of

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Put the batch into the memory of the session."""
        batch = [to_llamaindex(each) for each in messages]
        await self._memory_of(session_id).aput_messages(batch)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return what the memory shows to an agent."""
        found = await self._memory_of(session_id).aget()
        return mirror(found, from_llamaindex, to_llamaindex)

    async def clear(self, session_id: str) -> None:
        """Reset the memory of the session."""
        await self._memory_of(session_id).areset()


class _ChatStore(_Declared, TwoWays):
    """A chat store behind a ChatMemoryBuffer for each session, as the documentation has it."""

    def __init__(self, store: BaseChatStore) -> None:
        self._store = store

    def _buffer(self, session_id: str) -> ChatMemoryBuffer:
        return ChatMemoryBuffer.from_defaults(
            chat_store=self._store, chat_store_key=session_id, tokenizer_fn=str.split
        )


class AsyncLlamaIndexChatStore(_ChatStore):
    """The store that awaits the async methods of a chat store and of its buffer."""

    asynchronous = True

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Put the batch into the buffer, which adds message by message."""
        buffer, batch = self._buffer(session_id), [to_llamaindex(each) for each in messages]
        await self._call(buffer.put_messages, buffer.aput_messages, batch)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return all of the buffer; an edit of this list edits the one that LlamaIndex gave."""
        buffer = self._buffer(session_id)
        found = await self._call(buffer.get_all, buffer.aget_all)
        return mirror(found, from_llamaindex, to_llamaindex)

    async def clear(self, session_id: str) -> None:
        """Reset the buffer of the session."""
        buffer = self._buffer(session_id)
        await self._call(buffer.reset, buffer.areset)

    async def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        """Delete each message by its index at that moment."""
        store = self._store
        for each in ids:
            found = await self._call(store.get_messages, store.aget_messages, session_id)
            index = _index(found, each)
            if index is not None:
                await self._call(store.delete_message, store.adelete_message, session_id, index)

    async def list_sessions(self) -> list[str]:
        """Return the keys of the chat store."""
        return list(await self._call(self._store.get_keys, self._store.aget_keys))


class LlamaIndexChatStore(_ChatStore):
    """The store that calls the sync methods of a chat store and of its buffer."""

    add_messages = in_sync(AsyncLlamaIndexChatStore.add_messages)
    get_history = in_sync(AsyncLlamaIndexChatStore.get_history)
    clear = in_sync(AsyncLlamaIndexChatStore.clear)
    delete_messages = in_sync(AsyncLlamaIndexChatStore.delete_messages)
    list_sessions = in_sync(AsyncLlamaIndexChatStore.list_sessions)


def llamaindex(
    given: MemoryOf | BaseChatStore, *, asynchronous: bool = False
) -> LlamaIndexMemory | LlamaIndexChatStore | AsyncLlamaIndexChatStore:
    """Return a store over LlamaIndex: a chat store, or a function that gives a session's memory.

    A memory is driven by its async methods, and the function is called again for each call. A chat
    store is driven by its sync methods, or with ``asynchronous=True`` by its async ones.
    """
    if not isinstance(given, BaseChatStore):
        return LlamaIndexMemory(given)
    return (AsyncLlamaIndexChatStore if asynchronous else LlamaIndexChatStore)(given)


def _index(found: Sequence[Any], message_id: str) -> int | None:
    known = (i for i, each in enumerate(found) if each.additional_kwargs.get("id") == message_id)
    return next(known, None)

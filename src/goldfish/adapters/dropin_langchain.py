"""The adapter of LangChain over our own chat history, whose ids make a retry a no-op."""

from goldfish.adapters.langchain import AsyncLangChainMemory, LangChainMemory
from goldfish.bridge import BlockingMemoryStore
from goldfish.dropins.langchain import ChatMessageHistory
from goldfish.stores.base import BaseStore


class _Retried(LangChainMemory):
    retries = True


class _RetriedAsync(AsyncLangChainMemory):
    retries = True


def memory(store: BlockingMemoryStore) -> LangChainMemory:
    """The store that calls the sync methods of a history, made anew for each call."""
    return _Retried(lambda session_id: ChatMessageHistory(session_id, store))


def async_memory(store: BaseStore) -> AsyncLangChainMemory:
    """The store that awaits the async methods of a history, made anew for each call."""
    return _RetriedAsync(lambda session_id: ChatMessageHistory(session_id, store))

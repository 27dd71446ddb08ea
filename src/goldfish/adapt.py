"""The door to the adapters: ``goldfish.adapt.<library>(…)`` makes a store of its memory."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, overload

from goldfish.errors import MissingExtraError

if TYPE_CHECKING:
    from google.adk.sessions import BaseSessionService
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.runnables.history import RunnableWithMessageHistory
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore
    from llama_index.core.storage.chat_store import BaseChatStore

    from goldfish.integrations.adk.adapter import ADKMemory
    from goldfish.integrations.langchain.adapter import AsyncLangChainMemory, LangChainMemory
    from goldfish.integrations.langchain.classic import (
        AsyncLangChainClassicMemory,
        LangChainClassicMemory,
    )
    from goldfish.integrations.langchain.classic import MemoryOf as ClassicMemoryOf
    from goldfish.integrations.langchain.runnable import AsyncLangChainRunnable, LangChainRunnable
    from goldfish.integrations.langgraph.adapter import AsyncLangGraphMemory, LangGraphMemory
    from goldfish.integrations.langgraph.store_adapter import (
        AsyncLangGraphStoreMemory,
        LangGraphStoreMemory,
    )
    from goldfish.integrations.llamaindex.adapter import (
        AsyncLlamaIndexChatStore,
        LlamaIndexChatStore,
        LlamaIndexMemory,
        MemoryOf,
    )
    from goldfish.integrations.mem0.adapter import AsyncMem0Memory, Mem0Memory
    from goldfish.integrations.openai_agents.adapter import OpenAIAgentsMemory, SessionOf

__all__ = [
    "adk",
    "langchain",
    "langchain_classic",
    "langchain_runnable",
    "langgraph",
    "langgraph_store",
    "llamaindex",
    "mem0",
    "openai_agents",
]


@overload
def langchain(
    history_of: "Callable[[str], BaseChatMessageHistory]", *, asynchronous: Literal[False] = False
) -> "LangChainMemory": ...


@overload
def langchain(
    history_of: "Callable[[str], BaseChatMessageHistory]", *, asynchronous: Literal[True]
) -> "AsyncLangChainMemory": ...


def langchain(
    history_of: "Callable[[str], BaseChatMessageHistory]", *, asynchronous: bool = False
) -> "LangChainMemory | AsyncLangChainMemory":
    """A store over chat histories of LangChain, by the function that makes one for a session id.

    It is called anew for each call, as LangChain's own ``RunnableWithMessageHistory`` does.
    ``asynchronous=True`` drives ``aadd_messages``, ``aget_messages`` and ``aclear`` instead.
    """
    try:
        from goldfish.integrations.langchain.adapter import AsyncLangChainMemory, LangChainMemory
    except ModuleNotFoundError as error:
        package = (error.name or "langchain_core").partition(".")[0]
        raise MissingExtraError.of(package, "langchain") from error
    return AsyncLangChainMemory(history_of) if asynchronous else LangChainMemory(history_of)


def langchain_runnable(
    runnable: "RunnableWithMessageHistory", *, asynchronous: bool = False
) -> "LangChainRunnable | AsyncLangChainRunnable":
    """A store over LangChain's ``RunnableWithMessageHistory``: each batch is a turn.

    What is read and cleared is the history that the runnable asks for. Its replies are told apart
    from what was said. ``asynchronous=True`` awaits ``ainvoke`` and the async methods instead.
    """
    with _of("langchain", "langchain_core"):
        from goldfish.integrations.langchain.runnable import (
            AsyncLangChainRunnable,
            LangChainRunnable,
        )
    return (AsyncLangChainRunnable if asynchronous else LangChainRunnable)(runnable)


def langchain_classic(
    memory_of: "ClassicMemoryOf", *, window: int | None = None, asynchronous: bool = False
) -> "LangChainClassicMemory | AsyncLangChainClassicMemory":
    """A store over memories of langchain-classic, by the function that gives one for a session id.

    The memories must have ``return_messages=True``; ``window`` says how many of the last turns they
    keep. ``asynchronous=True`` awaits ``asave_context`` and ``aload_memory_variables`` instead.
    """
    with _of("langchain", "langchain_classic"):
        from goldfish.integrations.langchain.classic import (
            AsyncLangChainClassicMemory,
            LangChainClassicMemory,
        )
    made = AsyncLangChainClassicMemory if asynchronous else LangChainClassicMemory
    return made(memory_of, window=window)


def mem0(memory: Any) -> "Mem0Memory | AsyncMem0Memory":
    """A store of facts over a ``mem0.Memory``, or an async one over a ``mem0.AsyncMemory``.

    Facts are added as they are said (``infer=False``), so that no language model is needed.
    """
    from goldfish.integrations.mem0.adapter import AsyncMem0Memory, Mem0Memory

    return (AsyncMem0Memory if inspect.iscoroutinefunction(memory.add) else Mem0Memory)(memory)


@overload
def langgraph(
    saver: "BaseCheckpointSaver[Any]", *, asynchronous: Literal[False] = False
) -> "LangGraphMemory": ...


@overload
def langgraph(
    saver: "BaseCheckpointSaver[Any]", *, asynchronous: Literal[True]
) -> "AsyncLangGraphMemory": ...


def langgraph(
    saver: "BaseCheckpointSaver[Any]", *, asynchronous: bool = False
) -> "LangGraphMemory | AsyncLangGraphMemory":
    """A store over a checkpointer of LangGraph, driven by the turns of a graph with one node.

    ``asynchronous=True`` awaits the async methods of the graph and of the checkpointer instead.
    """
    try:
        from goldfish.integrations.langgraph.adapter import AsyncLangGraphMemory, LangGraphMemory
    except ModuleNotFoundError as error:
        package = (error.name or "langgraph").partition(".")[0]
        raise MissingExtraError.of(package, "langgraph") from error
    return AsyncLangGraphMemory(saver) if asynchronous else LangGraphMemory(saver)


@overload
def langgraph_store(
    store: "BaseStore", *, field: str = "text", asynchronous: Literal[False] = False
) -> "LangGraphStoreMemory": ...


@overload
def langgraph_store(
    store: "BaseStore", *, field: str = "text", asynchronous: Literal[True]
) -> "AsyncLangGraphStoreMemory": ...


def langgraph_store(
    store: "BaseStore", *, field: str = "text", asynchronous: bool = False
) -> "LangGraphStoreMemory | AsyncLangGraphStoreMemory":
    """A store of facts over a store of LangGraph: one namespace for each user.

    ``field`` is the field of a value that holds the words, one of those that its index embeds.
    ``asynchronous=True`` awaits the async methods of the store instead.
    """
    try:
        from goldfish.integrations.langgraph.store_adapter import (
            AsyncLangGraphStoreMemory,
            LangGraphStoreMemory,
        )
    except ModuleNotFoundError as error:
        package = (error.name or "langgraph").partition(".")[0]
        raise MissingExtraError.of(package, "langgraph") from error
    adapter = AsyncLangGraphStoreMemory if asynchronous else LangGraphStoreMemory
    return adapter(store, field)


def openai_agents(session_of: "SessionOf") -> "OpenAIAgentsMemory":
    """A store over sessions of the OpenAI Agents SDK, by the function that gives one for an id.

    It is called anew for each call, and may also give an async context manager that lends the
    session for as long as the call lasts.
    """
    try:
        from goldfish.integrations.openai_agents.adapter import OpenAIAgentsMemory
    except ModuleNotFoundError as error:
        package = (error.name or "agents").partition(".")[0]
        raise MissingExtraError.of(package, "openai-agents") from error
    return OpenAIAgentsMemory(session_of)


def llamaindex(
    given: "MemoryOf | BaseChatStore", *, asynchronous: bool = False
) -> "LlamaIndexMemory | LlamaIndexChatStore | AsyncLlamaIndexChatStore":
    """A store over LlamaIndex: a chat store, or the function that gives a memory for a session id.

    Of a memory the async methods are driven, and the function is called anew for each call. A chat
    store is driven by its sync methods, or with ``asynchronous=True`` by its async ones.
    """
    try:
        from llama_index.core.storage.chat_store import BaseChatStore

        from goldfish.integrations.llamaindex import adapter
    except ModuleNotFoundError as error:
        package = (error.name or "llama_index").partition(".")[0]
        raise MissingExtraError.of(package, "llamaindex") from error
    if not isinstance(given, BaseChatStore):
        return adapter.LlamaIndexMemory(given)
    if asynchronous:
        return adapter.AsyncLlamaIndexChatStore(given)
    return adapter.LlamaIndexChatStore(given)


def adk(
    service: "BaseSessionService", *, app_name: str = "goldfish", user_id: str = "goldfish"
) -> "ADKMemory":
    """A store over a session service of Google's ADK: the sessions of one user of one app."""
    try:
        from goldfish.integrations.adk.adapter import ADKMemory
    except ModuleNotFoundError as error:
        raise MissingExtraError.of(error.name or "google.adk", "adk") from error
    return ADKMemory(service, app_name, user_id)


@contextmanager
def _of(extra: str, package: str) -> Iterator[None]:
    """Name the package that an import misses, with the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError.of((error.name or package).partition(".")[0], extra) from error

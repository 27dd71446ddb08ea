"""The door to the adapters: ``goldfish.adapt.<library>(…)`` makes a store of its memory."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

from goldfish.errors import MissingExtraError

if TYPE_CHECKING:
    from langchain_core.chat_history import BaseChatMessageHistory

    from goldfish.adapters.langchain import AsyncLangChainMemory, LangChainMemory
    from goldfish.adapters.mem0 import AsyncMem0Memory, Mem0Memory

__all__ = ["langchain", "mem0"]


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
        from goldfish.adapters.langchain import AsyncLangChainMemory, LangChainMemory
    except ModuleNotFoundError as error:
        package = (error.name or "langchain_core").partition(".")[0]
        raise MissingExtraError.of(package, "langchain") from error
    return AsyncLangChainMemory(history_of) if asynchronous else LangChainMemory(history_of)


def mem0(memory: Any) -> "Mem0Memory | AsyncMem0Memory":
    """A store of facts over a ``mem0.Memory``, or an async one over a ``mem0.AsyncMemory``.

    Facts are added as they are said (``infer=False``), so that no language model is needed.
    """
    from goldfish.adapters.mem0 import AsyncMem0Memory, Mem0Memory

    return (AsyncMem0Memory if inspect.iscoroutinefunction(memory.add) else Mem0Memory)(memory)

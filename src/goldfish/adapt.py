"""The door to the adapters: ``goldfish.adapt.<library>(…)`` makes a store of its memory."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, overload

from goldfish.errors import MissingExtraError

if TYPE_CHECKING:
    from langchain_core.chat_history import BaseChatMessageHistory

    from goldfish.adapters.langchain import AsyncLangChainMemory, LangChainMemory
    from goldfish.adapters.openai_agents import OpenAIAgentsMemory, SessionOf

__all__ = ["langchain", "openai_agents"]


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


def openai_agents(session_of: "SessionOf") -> "OpenAIAgentsMemory":
    """A store over sessions of the OpenAI Agents SDK, by the function that gives one for an id.

    It is called anew for each call, and may also give an async context manager that lends the
    session for as long as the call lasts.
    """
    try:
        from goldfish.adapters.openai_agents import OpenAIAgentsMemory
    except ModuleNotFoundError as error:
        package = (error.name or "agents").partition(".")[0]
        raise MissingExtraError.of(package, "openai-agents") from error
    return OpenAIAgentsMemory(session_of)

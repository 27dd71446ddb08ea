"""A ``RunnableWithMessageHistory`` of LangChain as a store: each batch is a turn, with a reply.

The store reads and clears the histories that the runnable itself uses.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.history import RunnableWithMessageHistory

from goldfish.integrations.langchain.adapter import AsyncLangChainMemory, LangChainMemory
from goldfish.integrations.langchain.messages import to_langchain
from goldfish.integrations.two_ways import in_sync
from goldfish.messages import ChatMessage


class AsyncLangChainRunnable(AsyncLangChainMemory):
    """The store that awaits ``ainvoke``."""

    answers = True

    def __init__(self, runnable: RunnableWithMessageHistory) -> None:
        super().__init__(runnable.get_session_history)
        self._runnable = runnable

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn, with the batch as its input."""
        turn = _input(self._runnable, messages), _config(self._runnable, session_id)
        await self._call(self._runnable.invoke, self._runnable.ainvoke, *turn)


class LangChainRunnable(LangChainMemory):
    """The store that calls ``invoke``."""

    answers = True

    def __init__(self, runnable: RunnableWithMessageHistory) -> None:
        super().__init__(runnable.get_session_history)
        self._runnable = runnable

    add_messages = in_sync(AsyncLangChainRunnable.add_messages)


def langchain_runnable(
    runnable: RunnableWithMessageHistory, *, asynchronous: bool = False
) -> LangChainRunnable | AsyncLangChainRunnable:
    """Return a store over LangChain's ``RunnableWithMessageHistory``: each batch is a turn.

    It reads and clears the history that the runnable uses, and tells the runnable's replies apart
    from what was said. ``asynchronous=True`` awaits ``ainvoke`` and the async methods instead.
    """
    return (AsyncLangChainRunnable if asynchronous else LangChainRunnable)(runnable)


def _input(runnable: RunnableWithMessageHistory, messages: Sequence[ChatMessage]) -> Any:
    given = [to_langchain(each) for each in messages]
    return {runnable.input_messages_key: given} if runnable.input_messages_key else given


def _config(runnable: RunnableWithMessageHistory, session_id: str) -> RunnableConfig:
    (only,) = runnable.history_factory_config
    return {"configurable": {only.id: session_id}}

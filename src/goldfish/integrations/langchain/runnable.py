"""A ``RunnableWithMessageHistory`` of LangChain as a store: a batch is a turn, which is answered.

The store reads and clears the histories that the runnable itself asks for, by its own function.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.history import RunnableWithMessageHistory

from goldfish.integrations.langchain.adapter import AsyncLangChainMemory, LangChainMemory
from goldfish.integrations.langchain.messages import to_langchain
from goldfish.messages import ChatMessage


class LangChainRunnable(LangChainMemory):
    """The store that calls ``invoke``."""

    answers = True

    def __init__(self, runnable: RunnableWithMessageHistory) -> None:
        super().__init__(runnable.get_session_history)
        self._runnable = runnable

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn, with the batch as its input."""
        self._runnable.invoke(_input(self._runnable, messages), _config(self._runnable, session_id))


class AsyncLangChainRunnable(AsyncLangChainMemory):
    """The store that awaits ``ainvoke``."""

    answers = True

    def __init__(self, runnable: RunnableWithMessageHistory) -> None:
        super().__init__(runnable.get_session_history)
        self._runnable = runnable

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Take a turn, with the batch as its input."""
        asked = _input(self._runnable, messages), _config(self._runnable, session_id)
        await self._runnable.ainvoke(*asked)


def _input(runnable: RunnableWithMessageHistory, messages: Sequence[ChatMessage]) -> Any:
    given = [to_langchain(each) for each in messages]
    return {runnable.input_messages_key: given} if runnable.input_messages_key else given


def _config(runnable: RunnableWithMessageHistory, session_id: str) -> RunnableConfig:
    (only,) = runnable.history_factory_config
    return {"configurable": {only.id: session_id}}

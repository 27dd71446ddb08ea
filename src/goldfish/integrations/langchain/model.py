"""A fake chat model of LangChain, for agents under test."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable

from goldfish.integrations.langchain.messages import role_of
from goldfish.integrations.replies import quote_all, reply_to


class LangChainModel(BaseChatModel):
    """A chat model that replies what it was shown, after ``seconds``, and calls no tools.

    With ``verbatim`` the reply is all that it was shown, word for word, as of a summariser that
    forgets nothing. A token is a message.
    """

    seconds: float = 0.0
    verbatim: bool = False

    @property
    def _llm_type(self) -> str:
        return "goldfish-mirror"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Runnable[Any, AIMessage]:
        """Return the same model: it never calls a tool."""
        return self

    def get_num_tokens(self, text: str) -> int:
        """Return 1 for any text, so that a limit in tokens is one in messages."""
        return 1

    def get_num_tokens_from_messages(
        self, messages: list[BaseMessage], tools: Sequence[Any] | None = None
    ) -> int:
        """Return the number of messages."""
        return len(messages)

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        time.sleep(self.seconds)
        return self._reply(messages)

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        await asyncio.sleep(self.seconds)
        return self._reply(messages)

    def _reply(self, messages: list[BaseMessage]) -> ChatResult:
        shown = [(role_of(each), str(each.content)) for each in messages]
        make: Callable[[Sequence[tuple[str, str]]], str] = quote_all if self.verbatim else reply_to
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=make(shown)))])

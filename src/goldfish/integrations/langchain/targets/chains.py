"""Chains of LangChain as targets: the classic memories, and a runnable over SQL."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

with warnings.catch_warnings():
    # LangChain warns once per process that these are deprecated, which their checker knows.
    warnings.simplefilter("ignore")
    from langchain_classic.chains import ConversationChain
    from langchain_classic.memory import (
        ConversationBufferMemory,
        ConversationBufferWindowMemory,
        ConversationSummaryBufferMemory,
    )
    from langchain_classic.memory.chat_memory import BaseChatMemory
    from langchain_core.messages.utils import count_tokens_approximately
    from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
    from langchain_core.runnables.history import RunnableWithMessageHistory
    from langchain_openai import ChatOpenAI

from goldfish.integrations.langchain import LANGCHAIN
from goldfish.integrations.langchain.targets.runnable import QUIETLY
from goldfish.integrations.langchain.targets.sql import SQLHistoryOf, sql_histories
from goldfish.integrations.shop import INSTRUCTIONS

Make = Callable[[], BaseChatMemory]
TURNS = 5  # that the window keeps
TOKENS = 150  # that the summary buffer keeps: about as many turns
HISTORY: Any = [
    ("system", INSTRUCTIONS),
    MessagesPlaceholder("history"),
    ("human", "{input}"),
]
PROMPT = ChatPromptTemplate.from_messages(HISTORY)


class CountingModel(ChatOpenAI):
    """A model that counts tokens by characters: its own count wants a file from the network."""

    def get_num_tokens_from_messages(self, messages: Any, tools: Any = None, **_: Any) -> int:
        """Return about how many tokens the messages have."""
        return count_tokens_approximately(messages)


class Conversations:
    """A ConversationChain with a memory of its own for each session."""

    def __init__(self, model: ChatOpenAI, make: Make) -> None:
        self._model = model
        self._make = make
        self._memories: dict[str, BaseChatMemory] = {}

    async def say(self, session_id: str, text: str) -> str:
        """Run the session's chain."""
        memory = self._memories.get(session_id)
        if memory is None:
            memory = self._memories[session_id] = self._make()
        chain = ConversationChain(llm=self._model, prompt=PROMPT, memory=memory)
        return str((await chain.ainvoke({"input": text}))["response"])

    async def forget(self, session_id: str) -> None:
        """Clear the session's memory."""
        if session_id in self._memories:
            await self._memories[session_id].aclear()


class Runnables:
    """A model with a message history around it, whose replies are streamed."""

    def __init__(self, sandbox: Any, history_of: SQLHistoryOf) -> None:
        self._history_of = history_of
        with QUIETLY, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._runnable = RunnableWithMessageHistory(
                PROMPT | ChatOpenAI(model=sandbox.model_name),
                history_of,
                input_messages_key="input",
                history_messages_key="history",
            )

    def say(self, session_id: str, text: str) -> Iterator[str]:
        """Stream the reply of the model."""
        session: Any = {"configurable": {"session_id": session_id}}
        for piece in self._runnable.stream({"input": text}, session):
            yield str(piece.text)

    def forget(self, session_id: str) -> None:
        """Clear the session's history."""
        self._history_of(session_id).clear()


@LANGCHAIN.agent("agent-langchain-runnable", system=INSTRUCTIONS, threads=True)
def runnable(sandbox: Any) -> Iterator[Runnables]:
    """Keep each session in a table of a SQLite file."""
    with sql_histories(sandbox) as history_of:
        history_of("any")  # makes the table, as an application does before it serves anybody
        yield Runnables(sandbox, history_of)


_classic = partial(LANGCHAIN.agent, system=INSTRUCTIONS, claims="one opening")


@_classic("agent-langchain-buffer")
def buffer(sandbox: Any) -> Conversations:
    """Keep all that was said."""
    model = ChatOpenAI(model=sandbox.model_name)
    return Conversations(model, partial(ConversationBufferMemory, return_messages=True))


@_classic("agent-langchain-window", window=2 * TURNS)
def window(sandbox: Any) -> Conversations:
    """Keep the last turns."""
    model = ChatOpenAI(model=sandbox.model_name)
    make = partial(ConversationBufferWindowMemory, return_messages=True, k=TURNS)
    return Conversations(model, make)


@_classic("agent-langchain-summary-buffer", summarises=True)
def summary_buffer(sandbox: Any) -> Conversations:
    """Keep so many tokens, and a summary of what came before."""
    model = CountingModel(model=sandbox.model_name)
    make = partial(
        ConversationSummaryBufferMemory, llm=model, max_token_limit=TOKENS, return_messages=True
    )
    return Conversations(model, make)

"""The memories of langchain-classic as targets: in the process, or over a history in SQLite.

The window, the token limit and the summary hold ``TURNS`` turns. A token is a message, and the
summary is what was said, word for word, so that only the memory itself can forget.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

with warnings.catch_warnings():
    # LangChain warns once per process that these are deprecated, which their checker knows.
    warnings.simplefilter("ignore")
    from langchain_classic.memory import (
        ConversationBufferMemory,
        ConversationBufferWindowMemory,
        ConversationSummaryBufferMemory,
        ConversationTokenBufferMemory,
    )
    from langchain_classic.memory.chat_memory import BaseChatMemory
    from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
    from langchain_core.prompts import PromptTemplate

from goldfish.integrations.langchain import LANGCHAIN
from goldfish.integrations.langchain.classic import (
    AsyncLangChainClassicMemory,
    LangChainClassicMemory,
)
from goldfish.integrations.langchain.model import LangChainModel
from goldfish.integrations.langchain.targets.sql import sql_histories

TURNS = 20
SUMMARISER = LangChainModel(verbatim=True, seconds=0.01)  # as if it thought for a moment
LIMIT: dict[str, Any] = {"llm": SUMMARISER, "max_token_limit": 2 * TURNS}
PROMPT = PromptTemplate.from_template("{summary}\n{new_lines}")

Make = Callable[..., BaseChatMemory]
MAKE_BUFFER: Make = partial(ConversationBufferMemory, return_messages=True)
MAKE_WINDOW: Make = partial(ConversationBufferWindowMemory, return_messages=True, k=TURNS)
MAKE_TOKEN: Make = partial(ConversationTokenBufferMemory, return_messages=True, **LIMIT)
MAKE_SUMMARY: Make = partial(
    ConversationSummaryBufferMemory, return_messages=True, prompt=PROMPT, **LIMIT
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # again: the import puts its own filters first
    for _make in (MAKE_BUFFER, MAKE_WINDOW, MAKE_TOKEN, MAKE_SUMMARY):
        _make(chat_memory=InMemoryChatMessageHistory())
    SUMMARISER.invoke("hello")


@LANGCHAIN.target("langchain-buffer", claims="one opening")
def buffer(sandbox: Any) -> AsyncLangChainClassicMemory:
    """Keep all that was said."""
    return _in_process(MAKE_BUFFER)


@LANGCHAIN.target("langchain-window", claims="one opening")
def window(sandbox: Any) -> AsyncLangChainClassicMemory:
    """Keep the last turns."""
    return _in_process(MAKE_WINDOW, window=TURNS)


@LANGCHAIN.target("langchain-token", claims="one opening")
def token(sandbox: Any) -> AsyncLangChainClassicMemory:
    """Keep what fits a limit of tokens."""
    return _in_process(MAKE_TOKEN, window=TURNS)


@LANGCHAIN.target("langchain-summary", claims="one opening", summarises=True)
def summary(sandbox: Any) -> AsyncLangChainClassicMemory:
    """Keep what fits a limit of tokens, and a summary of the rest."""
    return _in_process(MAKE_SUMMARY, window=TURNS)


@LANGCHAIN.target("langchain-buffer-sql")
def buffer_sql(sandbox: Any) -> Iterator[LangChainClassicMemory]:
    """Keep all that was said, in a table."""
    yield from _in_sql(sandbox, MAKE_BUFFER)


@LANGCHAIN.target("langchain-window-sql")
def window_sql(sandbox: Any) -> Iterator[LangChainClassicMemory]:
    """Keep the last turns of a table."""
    yield from _in_sql(sandbox, MAKE_WINDOW, window=TURNS)


@LANGCHAIN.target("langchain-token-sql")
def token_sql(sandbox: Any) -> Iterator[LangChainClassicMemory]:
    """Keep what fits a limit of tokens, over a table."""
    yield from _in_sql(sandbox, MAKE_TOKEN, window=TURNS)


@LANGCHAIN.target("langchain-summary-sql", summarises=True)
def summary_sql(sandbox: Any) -> Iterator[LangChainClassicMemory]:
    """Keep what fits a limit of tokens, and a summary of the rest, over a table."""
    yield from _in_sql(sandbox, MAKE_SUMMARY, window=TURNS)


def _in_process(make: Make, *, window: int | None = None) -> AsyncLangChainClassicMemory:
    return AsyncLangChainClassicMemory(
        _cached(make, lambda _: InMemoryChatMessageHistory()), window=window
    )


def _in_sql(
    sandbox: Any, make: Make, *, window: int | None = None
) -> Iterator[LangChainClassicMemory]:
    with sql_histories(sandbox) as history_of:
        yield LangChainClassicMemory(_cached(make, history_of), window=window)


def _cached(
    make: Make, history_of: Callable[[str], BaseChatMessageHistory]
) -> Callable[[str], BaseChatMemory]:
    """Return a function that makes the memory of a session once: it holds part of the state."""
    return cache(lambda session_id: make(chat_memory=history_of(session_id)))

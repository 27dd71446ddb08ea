"""``RunnableWithMessageHistory`` of LangChain over its SQL history, as targets."""

import logging
import threading
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.runnables.history import RunnableWithMessageHistory

from goldfish.integrations.langchain import LANGCHAIN
from goldfish.integrations.langchain.model import LangChainModel
from goldfish.integrations.langchain.runnable import AsyncLangChainRunnable, LangChainRunnable
from goldfish.integrations.langchain.targets.sql import (
    SQLHistoryOf,
    async_sql_histories,
    sql_histories,
)

# It logs what it could not store, and does not raise: keep that out of the report.
logging.getLogger("langchain_core").addHandler(logging.NullHandler())
QUIETLY = threading.Lock()  # filters of warnings are global to the process


@LANGCHAIN.target("langchain-runnable")
def runnable(sandbox: Any) -> Iterator[LangChainRunnable]:
    """Take turns with a model that says what it was shown, in a table of a SQLite file."""
    with sql_histories(sandbox) as history_of:
        yield LangChainRunnable(add_history(history_of))


@LANGCHAIN.target("langchain-runnable-async")
async def runnable_async(sandbox: Any) -> AsyncIterator[AsyncLangChainRunnable]:
    """Take such turns through an async engine."""
    async with async_sql_histories(sandbox) as history_of:
        yield AsyncLangChainRunnable(add_history(history_of))


def add_history(history_of: SQLHistoryOf) -> RunnableWithMessageHistory:
    """Return the runnable, without LangChain's warning that it is deprecated."""
    with QUIETLY, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RunnableWithMessageHistory(LangChainModel(), history_of)

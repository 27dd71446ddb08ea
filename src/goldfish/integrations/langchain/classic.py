"""A memory of langchain-classic as a store: ``save_context`` saves a turn, a question and a reply.

A message of the user and the assistant's next one are a turn. Any other message is the question of
a turn, and the adapter makes up the reply: ``answers``.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_classic.memory.chat_memory import BaseChatMemory

from goldfish.integrations.langchain.messages import from_langchain, to_langchain
from goldfish.integrations.mirrored_list import mirror
from goldfish.integrations.replies import reply_to
from goldfish.integrations.two_ways import TwoWays, in_sync
from goldfish.messages import ChatMessage

MemoryOf = Callable[[str], BaseChatMemory]
Turn = tuple[dict[str, Any], dict[str, Any]]


class _Declared(TwoWays):
    """What these memories keep of a message, and what they do not promise."""

    answers = True
    carries = frozenset({"content"})  # a turn is two texts
    retries = False
    lacks = frozenset({"whole_batches"})  # save_context saves one turn

    def __init__(self, memory_of: MemoryOf, *, window: int | None = None) -> None:
        self._memory_of = memory_of
        self.window = window


class AsyncLangChainClassicMemory(_Declared):
    """The store that awaits ``asave_context``, ``aload_memory_variables`` and ``aclear``.

    The memory that the function gives for a session id must have ``return_messages=True``.
    """

    asynchronous = True

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Save the batch, turn by turn."""
        memory = self._memory_of(session_id)
        for turn in turns(messages):
            await self._call(memory.save_context, memory.asave_context, *turn)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return what a chain would be shown."""
        memory = self._memory_of(session_id)
        load = memory.load_memory_variables, memory.aload_memory_variables
        found = (await self._call(*load, {}))[memory.memory_variables[0]]
        return mirror(found, from_langchain, to_langchain)

    async def clear(self, session_id: str) -> None:
        """Clear the memory of the session."""
        memory = self._memory_of(session_id)
        await self._call(memory.clear, memory.aclear)


class LangChainClassicMemory(_Declared):
    """The store that calls ``save_context``, ``load_memory_variables`` and ``clear``."""

    add_messages = in_sync(AsyncLangChainClassicMemory.add_messages)
    get_history = in_sync(AsyncLangChainClassicMemory.get_history)
    clear = in_sync(AsyncLangChainClassicMemory.clear)


def langchain_classic(
    memory_of: MemoryOf, *, window: int | None = None, asynchronous: bool = False
) -> LangChainClassicMemory | AsyncLangChainClassicMemory:
    """Return a store over memories of langchain-classic.

    ``memory_of`` gives the memory of a session id, which must have ``return_messages=True``;
    ``window`` says how many of the last turns it keeps. ``asynchronous=True`` awaits
    ``asave_context`` and ``aload_memory_variables`` instead of the sync methods.
    """
    kind = AsyncLangChainClassicMemory if asynchronous else LangChainClassicMemory
    return kind(memory_of, window=window)


def turns(messages: Sequence[ChatMessage]) -> Iterator[Turn]:
    """Yield what ``save_context`` takes for these messages: each question with its reply."""
    rest = list(messages)
    while rest:
        asked = rest.pop(0)
        answered = rest and asked.role == "user" and rest[0].role == "assistant"
        reply = rest.pop(0).content if answered else reply_to([(asked.role, str(asked.content))])
        yield {"input": asked.content}, {"output": reply}

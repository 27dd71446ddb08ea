"""The sessions of the OpenAI Agents SDK as a store."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, cast

from agents.memory import Session

from goldfish.integrations.mirrored_list import mirror
from goldfish.integrations.openai_agents.items import from_item, to_item
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import MESSAGE_FIELDS

SessionOf = Callable[[str], Session | AbstractAsyncContextManager[Session]]


class OpenAIAgentsMemory:
    """The store that awaits ``add_items``, ``get_items`` and ``clear_session`` of a session."""

    carries = MESSAGE_FIELDS - {"created_at", "metadata"}  # items have no place for these
    retries = False  # a message whose id the session has is added again

    def __init__(self, session_of: SessionOf) -> None:
        self._session_of = session_of

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Add the batch to the session, as input items."""
        items = [to_item(each) for each in messages]
        async with _session(self._session_of(session_id)) as session:
            await session.add_items(cast(Any, items))

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        """Return the items; an edit of this list edits the one that the SDK gave.

        The SDK documents its limit as "the maximum number of items", and does not say what a
        negative one means.
        """
        if last is not None and last < 0:
            raise ValueError(f"last must be 0 or more (got {last})")
        async with _session(self._session_of(session_id)) as session:
            items: Any = await session.get_items(limit=last)
        return mirror(items, from_item, to_item)

    async def clear(self, session_id: str) -> None:
        """Clear the session."""
        async with _session(self._session_of(session_id)) as session:
            await session.clear_session()


def openai_agents(session_of: SessionOf) -> OpenAIAgentsMemory:
    """Return a store over sessions of the OpenAI Agents SDK.

    ``session_of`` gives the session for a session id, or an async context manager that lends it
    for as long as a call lasts. It is called again for each call.
    """
    return OpenAIAgentsMemory(session_of)


@asynccontextmanager
async def _session(
    given: Session | AbstractAsyncContextManager[Session],
) -> AsyncIterator[Session]:
    """Yield the session itself, or the one that a context manager lends."""
    if isinstance(given, AbstractAsyncContextManager):
        async with given as lent:
            yield lent
    else:
        yield given

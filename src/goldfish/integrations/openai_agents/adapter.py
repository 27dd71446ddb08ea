"""The sessions of the OpenAI Agents SDK as a store."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, cast

from agents.memory import Session

from goldfish.integrations.mirrored import MirroredList
from goldfish.integrations.openai_agents.items import from_item, to_item
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import MESSAGE_FIELDS

SessionOf = Callable[[str], Session | AbstractAsyncContextManager[Session]]


class OpenAIAgentsMemory:
    """The store that awaits ``add_items``, ``get_items`` and ``clear_session`` of a session."""

    carries = MESSAGE_FIELDS - {"created_at", "metadata"}  # items have no place for these
    retries = False  # an id that the session has is added once more

    def __init__(self, session_of: SessionOf) -> None:
        self._session_of = session_of

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Hand the batch to the session, as input items."""
        items = [to_item(each) for each in messages]
        async with _session(self._session_of(session_id)) as session:
            await session.add_items(cast(Any, items))

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        """What the session gives; to edit this list is to edit the one that the SDK gave.

        A limit of the SDK is "the maximum number of items": below zero it says nothing.
        """
        if last is not None and last < 0:
            raise ValueError(f"last={last} is no number of messages: ask for 0 or more")
        async with _session(self._session_of(session_id)) as session:
            items: Any = await session.get_items(limit=last)
        if isinstance(items, list):
            return MirroredList(items, from_item, to_item)
        return [from_item(each) for each in items]

    async def clear(self, session_id: str) -> None:
        """Clear the session."""
        async with _session(self._session_of(session_id)) as session:
            await session.clear_session()


@asynccontextmanager
async def _session(
    given: Session | AbstractAsyncContextManager[Session],
) -> AsyncIterator[Session]:
    """The session itself, or the one that is lent for as long as it is used."""
    if isinstance(given, AbstractAsyncContextManager):
        async with given as lent:
            yield lent
    else:
        yield given

"""A session of the OpenAI Agents SDK over a store of ours."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from goldfish.integrations.openai_agents.items import from_item
from goldfish.messages import ChatMessage
from goldfish.stores.base import BaseStore
from goldfish.stores.blocking import BlockingMemoryStore

__all__ = ["Session"]

ITEM = "openai_agents_item"  # the key in metadata of the item, without the message's content
SAID = ("content", "output")  # the keys of an item that may hold the message's content


class Session:
    """The items of one session; the caller closes the store.

    ``session_settings`` is the SDK's: its limit applies if ``get_items`` is given none.
    """

    def __init__(
        self,
        session_id: str,
        store: BaseStore | BlockingMemoryStore,
        *,
        session_settings: Any = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._store = store.store if isinstance(store, BlockingMemoryStore) else store

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items, the oldest first; with a limit, only that many of the newest."""
        last = _limit(self.session_settings) if limit is None else limit
        if last is not None and last < 0:  # as in the SDK's own sessions, that is no limit
            last = None
        return _to_items(await self._store.get_history(self.session_id, last=last))

    async def add_items(self, items: Sequence[Any]) -> None:
        """Append the items in order, all or none."""
        await self._store.add_messages(self.session_id, [_to_message(each) for each in items])

    async def pop_item(self) -> Any:
        """Remove the newest item and return it; return None if the session is empty.

        Concurrent callers, in whichever process, each get an item of their own.
        """
        while newest := await self._store.get_history(self.session_id, last=1):
            if await self._store.delete_messages(self.session_id, [newest[0].id]):
                return _to_items(newest)[0]
        return None

    async def clear_session(self) -> None:
        """Remove all items of the session."""
        await self._store.clear(self.session_id)


def _limit(settings: Any) -> int | None:
    """Return the limit of the settings, which may be a dict."""
    if isinstance(settings, Mapping):
        return settings.get("limit")
    limit: int | None = getattr(settings, "limit", None)
    return limit


def _to_message(item: Mapping[str, Any]) -> ChatMessage:
    """Return the item as a message with a new id: those of items are not always unique."""
    ours = from_item(item)
    names = ("role", "content", "name", "tool_calls", "tool_call_id")
    fields = {name: getattr(ours, name) for name in names}
    try:
        message = ChatMessage(**fields)
    except ValidationError:
        message = ChatMessage(role="assistant", content="")
    plain = [("role", message.role), ("content", message.content)]
    if isinstance(message.content, str) and list(item.items()) == plain:
        return message  # which tells all of it
    return message.model_copy(update={"metadata": {ITEM: _remainder(item, message.content)}})


def _remainder(item: Mapping[str, Any], content: Any) -> dict[str, Any]:
    said = {key: None for key in SAID if content and item.get(key) == content}
    return {**item, **said}


def _to_items(messages: Iterable[ChatMessage]) -> list[Any]:
    """Return the items that messages were made of, in the messages' own dicts: just read."""
    items = []
    for message in messages:  # a long session is read in every turn
        content = message.content
        item: dict[str, Any] | None = message.metadata.get(ITEM)
        if item is None:
            item = {"role": message.role, "content": content}
        elif content:
            if item.get("content", "") is None:
                item["content"] = content
            if item.get("output", "") is None:
                item["output"] = content
        items.append(item)
    return items

"""A chat history of LangChain over a store of ours."""

from collections.abc import Sequence

from pydantic import ValidationError

from goldfish.integrations.langchain import LANGCHAIN
from goldfish.integrations.two_ways import waiting
from goldfish.messages import ChatMessage, new_id
from goldfish.stores.base import BaseStore
from goldfish.stores.blocking import BlockingMemoryStore
from goldfish.threads import wait_for

with LANGCHAIN.importing():
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict

    from goldfish.integrations.langchain.messages import from_langchain, to_langchain

__all__ = ["ChatMessageHistory"]

AS_DUMPED = "langchain_message"  # the key in metadata of the whole message in LangChain's JSON


class ChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session; the caller closes the store.

    Its methods, sync and async, may be used from any thread and any event loop. A message without
    an id gets one when it is written; one whose id the session has is left as it is, so that a call
    whose outcome is unknown can be repeated.
    """

    def __init__(self, session_id: str, store: BaseStore | BlockingMemoryStore) -> None:
        self.session_id = session_id
        self._store = store.store if isinstance(store, BlockingMemoryStore) else store

    async def aget_messages(self) -> list[BaseMessage]:
        """Return all messages of the session, the oldest first."""
        return [_to_theirs(each) for each in await self._store.get_history(self.session_id)]

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append the messages in order, all or none."""
        await self._store.add_messages(self.session_id, [_to_ours(each) for each in messages])

    async def aclear(self) -> None:
        """Remove all messages of the session."""
        await self._store.clear(self.session_id)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # there it is an attribute
        """Return all messages of the session, the oldest first."""
        return wait_for(self.aget_messages())

    add_messages = waiting(aadd_messages)
    clear = waiting(aclear)


def _to_ours(message: BaseMessage) -> ChatMessage:
    """Return our message, from which exactly this one can be restored."""
    if message.id is None:
        message = message.model_copy(update={"id": new_id()})
    return _map_fields(message) or _dump_whole(message)


def _map_fields(message: BaseMessage) -> ChatMessage | None:
    """Return the message field by field, or None if it could not be restored exactly."""
    try:
        ours = _fields(message)
        back = to_langchain(ours)
    except (ValueError, TypeError):
        return None
    is_exact = type(back) is type(message) and back == message
    return ours if is_exact and AS_DUMPED not in ours.metadata else None


def _dump_whole(message: BaseMessage) -> ChatMessage:
    """Return the message as LangChain dumps it, with the fields that we have for it."""
    whole = {AS_DUMPED: message_to_dict(message)}
    try:
        return _fields(message).model_copy(update={"metadata": whole})
    except ValidationError:
        role = from_langchain(message).role
        return ChatMessage(role=role, content="", id=str(message.id), metadata=whole)


def _fields(message: BaseMessage) -> ChatMessage:
    ours = from_langchain(message)
    names = type(ours).model_fields.keys() - {"created_at"}
    return ChatMessage(**{name: getattr(ours, name) for name in names})


def _to_theirs(message: ChatMessage) -> BaseMessage:
    if AS_DUMPED in message.metadata:
        return messages_from_dict([message.metadata[AS_DUMPED]])[0]
    return to_langchain(message)

"""A chat history of LangChain over a store of ours."""

from collections.abc import Sequence

from pydantic import ValidationError

from goldfish.errors import MissingExtraError
from goldfish.messages import ChatMessage, new_id
from goldfish.stores.base import BaseStore
from goldfish.stores.blocking import BlockingMemoryStore
from goldfish.threads import wait_for

try:
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict

    from goldfish.integrations.langchain.messages import from_langchain, to_langchain
except ModuleNotFoundError as error:
    raise MissingExtraError.of(error.name or "langchain_core", "langchain") from error

__all__ = ["ChatMessageHistory"]

AS_DUMPED = "langchain_message"  # in metadata: the whole message, in LangChain's own JSON


class ChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session; the store stays the caller's to close.

    Its methods, sync and async, may be used from any thread and any event loop. A message without
    an id gets one when it is written; one whose id the session has is left as it is, so that a call
    whose outcome is unknown can be repeated.
    """

    def __init__(self, session_id: str, store: BaseStore | BlockingMemoryStore) -> None:
        self.session_id = session_id
        self._store = store.store if isinstance(store, BlockingMemoryStore) else store

    async def aget_messages(self) -> list[BaseMessage]:
        """All messages of the session, the oldest first."""
        return [_read(each) for each in await self._store.get_history(self.session_id)]

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append the messages in order, all or none."""
        await self._store.add_messages(self.session_id, [_written(each) for each in messages])

    async def aclear(self) -> None:
        """Remove all messages of the session."""
        await self._store.clear(self.session_id)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # there it is an attribute
        """All messages of the session, the oldest first."""
        return wait_for(self.aget_messages())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append the messages in order, all or none."""
        wait_for(self.aadd_messages(messages))

    def clear(self) -> None:
        """Remove all messages of the session."""
        wait_for(self.aclear())


def _written(message: BaseMessage) -> ChatMessage:
    """Our message that says the same, from which exactly this one can be made again."""
    if message.id is None:
        message = message.model_copy(update={"id": new_id()})
    plain = _plain(message)
    return plain if plain is not None else _dumped(message)


def _plain(message: BaseMessage) -> ChatMessage | None:
    """The message field by field, or None if LangChain's would not come back as it is."""
    try:
        ours = _fields(message)
        back = to_langchain(ours)
    except (ValueError, TypeError):
        return None
    is_exact = type(back) is type(message) and back == message
    return ours if is_exact and AS_DUMPED not in ours.metadata else None


def _dumped(message: BaseMessage) -> ChatMessage:
    """The message as LangChain writes it, beside what our fields can say of it."""
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


def _read(message: ChatMessage) -> BaseMessage:
    if AS_DUMPED in message.metadata:
        return messages_from_dict([message.metadata[AS_DUMPED]])[0]
    return to_langchain(message)

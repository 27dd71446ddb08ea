"""Our messages as messages of LlamaIndex and back: each field in the place that LlamaIndex has.

| ours         | LlamaIndex's                                                                   |
|--------------|--------------------------------------------------------------------------------|
| role         | ``role``, which knows a few: it refuses the others                             |
| content      | a text is one TextBlock; parts are blocks, if LlamaIndex knows their form      |
| id, name, tool_calls, tool_call_id, metadata | ``additional_kwargs``, where the integrations  |
|              | of LlamaIndex keep calls and names                                             |
| created_at   | no place: a message that comes back bears the time ``NO_TIME``                 |

Nothing is copied here that LlamaIndex itself does not copy.
"""

from typing import Any

from llama_index.core.base.llms.types import TextBlock
from llama_index.core.llms import ChatMessage as LlamaMessage

from goldfish.integrations.times import NO_TIME
from goldfish.messages import ChatMessage

IN_KWARGS = ("id", "name", "tool_calls", "tool_call_id", "metadata")
OTHERS = "llamaindex_fields"


def to_llamaindex(message: ChatMessage) -> LlamaMessage:
    """Return the message as LlamaIndex's; raise what LlamaIndex raises for what it refuses."""
    given = {name: getattr(message, name) for name in IN_KWARGS}
    kwargs = {name: value for name, value in given.items() if value not in (None, [], {})}
    return LlamaMessage(role=message.role, content=message.content, additional_kwargs=kwargs)


def from_llamaindex(message: LlamaMessage) -> ChatMessage:
    """Return the message as ours, unvalidated, so that checks see what LlamaIndex changed."""
    kwargs = message.additional_kwargs
    return ChatMessage.model_construct(
        role=getattr(message.role, "value", message.role),
        content=_content_of(message),
        id=kwargs.get("id", ""),
        created_at=NO_TIME,
        name=kwargs.get("name"),
        tool_calls=kwargs.get("tool_calls", []),
        tool_call_id=kwargs.get("tool_call_id"),
        metadata=_metadata_of(kwargs),
    )


def _content_of(message: LlamaMessage) -> Any:
    if len(message.blocks) == 1 and isinstance(message.blocks[0], TextBlock):
        return message.blocks[0].text
    return [block.model_dump(mode="json") for block in message.blocks]


def _metadata_of(kwargs: dict[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = kwargs.get("metadata", {})
    others = {name: value for name, value in kwargs.items() if name not in IN_KWARGS}
    return {**own, OTHERS: others} if others else own

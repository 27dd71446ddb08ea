"""Our messages as input items of the OpenAI Agents SDK and back: one item for each message.

| ours         | the SDK's                                                                      |
|--------------|--------------------------------------------------------------------------------|
| role, content, id, name | the keys of the same name of a message item                         |
| a tool's result | a ``function_call_output`` item: ``call_id`` and ``output``                 |
| tool_calls   | a ``function_call`` item if the message is one call and nothing else, in the   |
|              | form of OpenAI; otherwise the key ``tool_calls`` of a message item: as several |
|              | items, it would not be one message any more to whoever counts them             |
| metadata     | no place: it holds any object, an item only JSON. What else an item of the SDK |
|              | has (status, summaries, …) comes back in it                                    |
| created_at   | no place: a message that comes back bears the time ``NO_TIME``                 |
"""

from collections.abc import Mapping
from typing import Any

from goldfish.integrations.times import NO_TIME
from goldfish.messages import ChatMessage

MAPPED = {"role", "content", "id", "name", "tool_calls", "tool_call_id"}
CALL = {"type", "call_id", "name", "arguments", "id"}
RESULT = {"type", "call_id", "output", "id", "name"}


def to_item(message: ChatMessage) -> dict[str, Any]:
    """Return the message as an input item."""
    if message.role == "tool" and message.tool_call_id is not None and not message.tool_calls:
        return _result_item(message)
    if _is_only_a_call(message):
        return _call_item(message)
    item: dict[str, Any] = {"role": message.role, "content": message.content, "id": message.id}
    given = {name: getattr(message, name) for name in ("name", "tool_calls", "tool_call_id")}
    return item | {name: value for name, value in given.items() if value not in (None, [])}


def from_item(item: Mapping[str, Any]) -> ChatMessage:
    """Return the item as our message, unvalidated, so that checks see what the SDK changed."""
    kind = item.get("type")
    if kind == "function_call":
        return _from_call(item)
    if kind == "function_call_output":
        return _from_result(item)
    return _message(
        item,
        MAPPED,
        role=item.get(
            "role", "assistant"
        ),  # an item without a role is the model's: its reasoning, …
        content=item.get("content") or _empty(item),
        name=item.get("name"),
        tool_calls=item.get("tool_calls") or [],
        tool_call_id=item.get("tool_call_id"),
    )


def _empty(item: Mapping[str, Any]) -> Any:
    return [] if item.get("content") == [] else ""


def _result_item(message: ChatMessage) -> dict[str, Any]:
    item = {
        "type": "function_call_output",
        "call_id": message.tool_call_id,
        "output": message.content,
        "id": message.id,
    }
    return item if message.name is None else {**item, "name": message.name}


def _from_result(item: Mapping[str, Any]) -> ChatMessage:
    return _message(
        item,
        RESULT,
        role="tool",
        content=item.get("output", ""),
        name=item.get("name"),
        tool_call_id=item.get("call_id"),
    )


def _is_only_a_call(message: ChatMessage) -> bool:
    if message.role != "assistant" or message.content != "" or len(message.tool_calls) != 1:
        return False
    call = message.tool_calls[0]
    function = call.get("function")
    return (
        message.name is None
        and message.tool_call_id is None
        and set(call) == {"id", "type", "function"}
        and call["type"] == "function"
        and isinstance(function, dict)
        and set(function) == {"name", "arguments"}
    )


def _call_item(message: ChatMessage) -> dict[str, Any]:
    call = message.tool_calls[0]
    return {
        "type": "function_call",
        "call_id": call["id"],
        **call["function"],
        "id": message.id,
    }


def _from_call(item: Mapping[str, Any]) -> ChatMessage:
    function = {"name": item.get("name"), "arguments": item.get("arguments")}
    call = {"id": item.get("call_id"), "type": "function", "function": function}
    return _message(item, CALL, role="assistant", content="", tool_calls=[call])


def _message(item: Mapping[str, Any], mapped: set[str], **fields: Any) -> ChatMessage:
    others = {key: value for key, value in item.items() if key not in mapped}
    return ChatMessage.model_construct(
        **{"name": None, "tool_calls": [], "tool_call_id": None, **fields},
        id=item.get("id") or "",
        created_at=NO_TIME,
        metadata=others,
    )

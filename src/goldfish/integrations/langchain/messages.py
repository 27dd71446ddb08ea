"""Our messages as messages of LangChain and back: each field in the place that LangChain has.

| ours         | LangChain's                                                                    |
|--------------|--------------------------------------------------------------------------------|
| role         | the class; ``ChatMessage.role`` for a role that has no class                   |
| content, id, name, tool_call_id | the fields of the same name                                 |
| tool_calls   | ``tool_calls`` and ``invalid_tool_calls`` of an AIMessage if they are in its   |
|              | form; in any other form ``additional_kwargs["tool_calls"]``, where LangChain's |
|              | own integrations keep the calls as the provider encoded them                   |
| metadata     | ``response_metadata``; what else a message of LangChain has (usage, artifact,  |
|              | status, other additional_kwargs) is under the key ``langchain_fields``         |
| created_at   | no place: a message that comes back bears the time ``NO_TIME``                 |

Nothing is copied here that LangChain itself does not copy: a dict that the library shares with its
caller is shared with ours.
"""

from typing import Any

from langchain_core import messages as langchain
from langchain_core.messages import BaseMessage

from goldfish.integrations.times import NO_TIME
from goldfish.messages import ChatMessage

OTHERS = "langchain_fields"
CLASSES: dict[str, type[BaseMessage]] = {
    "user": langchain.HumanMessage,
    "assistant": langchain.AIMessage,
    "system": langchain.SystemMessage,
    "tool": langchain.ToolMessage,
    "function": langchain.FunctionMessage,
}
CALL_KEYS = {"type", "id", "name", "args"}
MAPPED = {
    "content", "id", "name", "role", "type", "tool_calls", "invalid_tool_calls", "tool_call_id",
    "response_metadata",
}  # fmt: skip


def to_langchain(message: ChatMessage) -> BaseMessage:
    """Return the message as LangChain's; raise what LangChain raises for what it refuses."""
    kind = _class_of(message)
    fields: dict[str, Any] = {"content": message.content, "id": message.id}
    if kind is langchain.ChatMessage:
        fields["role"] = message.role
    fields |= {
        name: value
        for name in ("name", "tool_call_id")
        if (value := getattr(message, name)) is not None
    }
    fields |= _metadata_fields(message.metadata, kind)
    return kind(**_with_calls(fields, message.tool_calls, kind))


def from_langchain(message: BaseMessage) -> ChatMessage:
    """Return the message as ours, unvalidated, so that checks see what LangChain changed.

    The id of a message that has none is empty.
    """
    return ChatMessage.model_construct(
        role=role_of(message),
        content=message.content,
        id=message.id if message.id is not None else "",
        created_at=NO_TIME,
        name=message.name,
        tool_calls=_calls_of(message),
        tool_call_id=getattr(message, "tool_call_id", None),
        metadata=_metadata_of(message),
    )


def _class_of(message: ChatMessage) -> type[BaseMessage]:
    """Return the class for the role, if the message has what that class requires."""
    required = {"tool": message.tool_call_id, "function": message.name}
    if required.get(message.role, "") is None:
        return langchain.ChatMessage
    return CLASSES.get(message.role, langchain.ChatMessage)


def role_of(message: BaseMessage) -> str:
    """Return the role in our words: that of the class, or the one that the message states."""
    if isinstance(message, langchain.ChatMessage):
        return message.role
    known = (role for role, kind in CLASSES.items() if isinstance(message, kind))
    return next(known, message.type)


def _metadata_fields(metadata: dict[str, Any], kind: type[BaseMessage]) -> dict[str, Any]:
    others = metadata.get(OTHERS)
    if not isinstance(others, dict) or not set(others) <= set(kind.model_fields) - MAPPED:
        return {"response_metadata": metadata}
    return {
        "response_metadata": {key: value for key, value in metadata.items() if key != OTHERS},
        **others,
    }


def _metadata_of(message: BaseMessage) -> dict[str, Any]:
    others = _other_fields(message)
    return {**message.response_metadata, OTHERS: others} if others else message.response_metadata


def _other_fields(message: BaseMessage) -> dict[str, Any]:
    """Return what LangChain carries and our message has no field for, without the defaults."""
    declared = type(message).model_fields
    values = {name: getattr(message, name) for name in declared if name not in MAPPED}
    if _raw_calls(message):
        kept = {**message.additional_kwargs}
        del kept["tool_calls"]
        values["additional_kwargs"] = kept
    given = {
        name: value
        for name, value in values.items()
        if value != declared[name].get_default(call_default_factory=True)
    }
    undeclared = message.model_extra or {}
    return given | {name: each for name, each in undeclared.items() if name != "tool_call_id"}


def _with_calls(
    fields: dict[str, Any], calls: list[dict[str, Any]], kind: type[BaseMessage]
) -> dict[str, Any]:
    if not calls:
        return fields
    valid = [call for call in calls if _has_form(call, "tool_call", CALL_KEYS)]
    invalid = [
        call for call in calls if _has_form(call, "invalid_tool_call", {*CALL_KEYS, "error"})
    ]
    if kind is langchain.AIMessage and [*valid, *invalid] == calls:
        return {**fields, "tool_calls": valid, "invalid_tool_calls": invalid}
    return {
        **fields,
        "additional_kwargs": {**fields.get("additional_kwargs", {}), "tool_calls": calls},
    }


def _has_form(call: dict[str, Any], kind: str, keys: set[str]) -> bool:
    return set(call) == keys and bool(call["type"] == kind)


def _calls_of(message: BaseMessage) -> list[Any]:
    raw = _raw_calls(message)
    if raw or not isinstance(message, langchain.AIMessage):
        return raw
    calls: list[Any] = message.tool_calls
    return [*calls, *message.invalid_tool_calls] if message.invalid_tool_calls else calls


def _raw_calls(message: BaseMessage) -> list[Any]:
    raw = message.additional_kwargs.get("tool_calls")
    return raw if isinstance(raw, list) else []

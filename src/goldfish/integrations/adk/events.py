"""Our messages as events of Google's ADK and back: each field in the place that ADK has.

| ours         | ADK's                                                                          |
|--------------|--------------------------------------------------------------------------------|
| role         | ``author``, which is 'user' or the name of an agent                            |
| content      | a text is one part of the content; parts are parts, if ADK knows their form    |
| tool_call_id | the ``id`` of a function response, whose ``result`` is then the content        |
| created_at   | ``timestamp``, by which ADK sorts. A message of this hour gets none: ADK       |
|              | notes the time itself, as for its own runner. So times are not carried         |
| metadata     | ``custom_metadata``, which "must be JSON serializable": what is not is refused |
| id           | no place: ADK's documentation says not to assign the id of an event            |
| tool_calls   | no place: ADK keeps arguments of a call as values, not as they were written    |
| name         | no place                                                                       |
"""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from google.adk.events import Event
from google.genai import types

from goldfish.encoding import refuse_unstorable
from goldfish.messages import ChatMessage

RESULT = "result"
JUST_NOW = timedelta(hours=1)  # a long batch on a slow machine takes minutes


def to_event(message: ChatMessage) -> Event:
    """Return the message as an event; raise what ADK raises for what it refuses."""
    refuse_unstorable(message.metadata, "metadata")
    json.dumps(message.metadata, allow_nan=False)  # JSON has no NaN or infinity
    role = "user" if message.role == "user" else "model"
    event = Event(
        author=message.role,
        content=types.Content(role=role, parts=_parts(message)),
        custom_metadata=message.metadata or None,
    )
    if abs(datetime.now(UTC) - message.created_at) > JUST_NOW:
        event.timestamp = message.created_at.timestamp()
    return event


def from_event(event: Event) -> ChatMessage:
    """Return the event as our message, unvalidated, so that checks see what ADK changed."""
    parts = (event.content.parts if event.content else None) or []
    response = parts[0].function_response if len(parts) == 1 else None
    result = (response.response or {}) if response else {}
    return ChatMessage.model_construct(
        role=event.author,
        content=result[RESULT] if RESULT in result else _content(parts),
        id=event.id,
        created_at=datetime.fromtimestamp(event.timestamp, UTC),
        name=None,
        tool_calls=[],
        tool_call_id=response.id if response else None,
        metadata=event.custom_metadata or {},
    )


def _parts(message: ChatMessage) -> list[types.Part]:
    if message.tool_call_id is not None:
        response = types.FunctionResponse(
            id=message.tool_call_id, response={RESULT: message.content}
        )
        return [types.Part(function_response=response)]
    if isinstance(message.content, str):
        return [types.Part(text=message.content)]
    return [types.Part.model_validate(part) for part in message.content]


def _content(parts: list[types.Part]) -> Any:
    if len(parts) == 1 and parts[0].model_dump(exclude_none=True).keys() == {"text"}:
        return parts[0].text
    return [part.model_dump(mode="json", exclude_none=True) for part in parts]

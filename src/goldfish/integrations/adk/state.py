"""Named values as the state of Google's ADK: set by an event, read from a session or its user.

| ours               | ADK's                                                                     |
|--------------------|---------------------------------------------------------------------------|
| values             | ``actions.state_delta`` of an event without content                       |
| values of a user   | the same, each name after ``user:``                                       |
| any name           | one that begins with ``app:``, ``user:`` or ``temp:`` is of another scope:|
|                    | refused for a session                                                     |
| any value          | ADK's documentation wants basic types that JSON has: others are refused   |
"""

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from google.adk.events import Event, EventActions
from google.adk.sessions import BaseSessionService

from goldfish.encoding import refuse_unstorable

USER = "user:"
SCOPES = ("app:", USER, "temp:")


def to_state_event(values: Mapping[str, Any], *, of_user: bool) -> Event:
    """Return the event that sets these values; refuse those that ADK cannot keep."""
    refuse_unstorable(dict(values), "values")
    for name, value in values.items():
        _refuse_beyond_json(name, value)
    if not of_user and (scoped := [name for name in values if name.startswith(SCOPES)]):
        raise ValueError(
            f"{scoped[0]!r:.80} belongs to another scope in ADK: choose a name that does not begin "
            f"with {', '.join(SCOPES)}"
        )
    delta = {(USER + name if of_user else name): value for name, value in values.items()}
    return Event(author="system", actions=EventActions(state_delta=delta))


def _refuse_beyond_json(name: str, value: Any) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"{name!r:.80} is not valid JSON ({error}): leave it out") from error


def session_values(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the session itself."""
    return {name: value for name, value in state.items() if not name.startswith(SCOPES)}


async def user_values(service: BaseSessionService, app_name: str, user_id: str) -> dict[str, Any]:
    """Return the values of the user, directly or through any of the user's sessions."""
    # An older release, or a service, may be without it.
    with contextlib.suppress(AttributeError, NotImplementedError):
        return dict(await service.get_user_state(app_name=app_name, user_id=user_id))
    listed = await service.list_sessions(app_name=app_name, user_id=user_id)
    for each in listed.sessions:
        session = await service.get_session(app_name=app_name, user_id=user_id, session_id=each.id)
        state = session.state if session else {}
        return {name[len(USER) :]: state[name] for name in state if name.startswith(USER)}
    return {}

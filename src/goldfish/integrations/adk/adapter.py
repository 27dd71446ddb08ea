"""A session service of Google's ADK as a store: events are messages, or set the state."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from google.adk.events import Event
from google.adk.sessions import BaseSessionService, Session
from google.adk.sessions.base_session_service import GetSessionConfig

from goldfish.integrations.adk.events import from_event, to_event
from goldfish.integrations.adk.state import session_values, to_state_event, user_values
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import MESSAGE_FIELDS

TRIES = 200  # of several writers of one session, one succeeds each time
NEWEST = GetSessionConfig(num_recent_events=1)  # an append need not read the whole session
OVERTAKEN = {
    "AlreadyExistsError", "SessionNotFoundError", "StaleSessionError",
    "StaleDataError",  # of SQLAlchemy: the session was deleted meanwhile
}  # fmt: skip


class ADKMemory:
    """The store that awaits ``append_event``, ``get_session`` and ``delete_session``.

    A batch is appended event by event: ADK has no other way. A session that another writer
    changed, created or deleted meanwhile is fetched again, as ADK's errors ask for.
    """

    carries = MESSAGE_FIELDS - {"id", "name", "tool_calls", "created_at"}
    retries = False  # the ids of events are ADK's
    lacks = frozenset({"whole_batches"})  # append_event takes one event

    def __init__(self, service: BaseSessionService, app_name: str, user_id: str) -> None:
        self._service = service
        self._app_name = app_name
        self._user_id = user_id

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Append the batch to the session; create the session if there is none."""
        _refuse_empty(session_id)
        for message in messages:  # refuse what ADK cannot write before anything is written
            to_event(message).model_dump_json()
        session: Session | None = None
        for message in messages:
            session = await self._append(session, session_id, message)

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        """Return the events of the session that have content; the others set its state."""
        events = await self._events(session_id, last)
        found = [each for each in events if each.content is not None]
        if last and len(found) < len(events) == last:  # there may be more further back
            found = [each for each in await self._events(session_id) if each.content is not None]
            found = found[-last:]
        return [from_event(each) for each in found]

    async def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        """Append an event that sets the values of the session, or of that user of the app."""
        _refuse_empty(session_id)
        event = partial(to_state_event, values, of_user=user_id is not None)
        event().model_dump_json()
        names = self._user_id if user_id is None else user_id, session_id
        if values:
            await self._append_event(None, names, event)

    async def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        """Return the state of the session without other scopes, or the state of the user."""
        if user_id is not None:
            return await user_values(self._service, self._app_name, user_id)
        session = await self._service.get_session(
            app_name=self._app_name, user_id=self._user_id, session_id=session_id, config=NEWEST
        )
        return session_values(session.state) if session else {}

    async def clear(self, session_id: str) -> None:
        """Delete the session."""
        await self._service.delete_session(
            app_name=self._app_name, user_id=self._user_id, session_id=session_id
        )

    async def list_sessions(self) -> list[str]:
        """Return the ids of the user's sessions."""
        listed = await self._service.list_sessions(app_name=self._app_name, user_id=self._user_id)
        return [each.id for each in listed.sessions]

    async def _events(self, session_id: str, last: int | None = None) -> list[Event]:
        config = None if last is None else GetSessionConfig(num_recent_events=last)
        session = await self._service.get_session(
            app_name=self._app_name, user_id=self._user_id, session_id=session_id, config=config
        )
        return session.events if session else []

    async def _append(
        self, session: Session | None, session_id: str, message: ChatMessage
    ) -> Session:
        names = self._user_id, session_id
        return await self._append_event(session, names, lambda: to_event(message))

    async def _append_event(
        self, session: Session | None, names: tuple[str, str], event: Callable[[], Event]
    ) -> Session:
        """Append an event, made anew for each try; ``names`` are those of a user and a session."""
        for tries_left in reversed(range(TRIES)):
            try:
                session = session or await self._session(*names)
                await self._service.append_event(session, event())
                return session
            except Exception as error:
                if not (tries_left and _is_overtaken(error)):
                    raise
            session = None
            await asyncio.sleep(0)
        raise AssertionError("the last try returns or raises")

    async def _session(self, user_id: str, session_id: str) -> Session:
        """Return the session as it is now, or a new one."""
        there = await self._service.get_session(
            app_name=self._app_name, user_id=user_id, session_id=session_id, config=NEWEST
        )
        return there or await self._service.create_session(
            app_name=self._app_name, user_id=user_id, session_id=session_id
        )


def adk(
    service: BaseSessionService, *, app_name: str = "goldfish", user_id: str = "goldfish"
) -> ADKMemory:
    """Return a store over a session service of Google's ADK: the sessions of one user of an app."""
    return ADKMemory(service, app_name, user_id)


def _refuse_empty(session_id: str) -> None:
    if not session_id:
        raise ValueError(
            "ADK replaces an empty session id by one of its own: give the session an id"
        )


def _is_overtaken(error: Exception) -> bool:
    """Return True if another writer was faster; not all releases have an error class for it."""
    if type(error).__name__ in OVERTAKEN:
        return True
    text = str(error).lower()
    return any(words in text for words in ("stale", "last_update_time", "foreign key constraint"))

"""The session services of Google's ADK as a store: events are messages."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar

from google.adk.sessions import BaseSessionService, Session
from google.adk.sessions.base_session_service import GetSessionConfig

from goldfish.adapters.adk_events import from_event, to_event
from goldfish.messages import ChatMessage
from goldfish.target import MESSAGE_FIELDS

TRIES = 200  # of writers of one session, one succeeds each time
NEWEST = GetSessionConfig(num_recent_events=1)  # what is appended to need not be read whole
OVERTAKEN = {
    "AlreadyExistsError", "SessionNotFoundError", "StaleSessionError",
    "StaleDataError",  # of SQLAlchemy: the session was deleted meanwhile
}  # fmt: skip


class ADKMemory:
    """The store that awaits ``append_event``, ``get_session`` and ``delete_session``.

    A batch is appended event by event: ADK has no other way. A session that another writer has
    changed meanwhile, or made, or deleted, is fetched again, as ADK's errors ask for.
    """

    carries = MESSAGE_FIELDS - {"id", "name", "tool_calls", "created_at"}
    retries = False  # the ids of events are ADK's
    declines: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("CON02", "CON05", "CON09", "CON22", "DUR17"),
        "append_event takes one event, and there is no way to append several at once",
    )

    def __init__(self, service: BaseSessionService, app_name: str, user_id: str) -> None:
        self._service = service
        self._app_name = app_name
        self._user_id = user_id

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Append the batch to the session, which is created if need be."""
        if not session_id:
            raise ValueError("ADK makes an id of its own for an empty one: give the session an id")
        for message in messages:  # what ADK cannot write is refused before anything is written
            to_event(message).model_dump_json()
        session: Session | None = None
        for message in messages:
            session = await self._append(session, session_id, message)

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        """The events of the session."""
        config = None if last is None else GetSessionConfig(num_recent_events=last)
        session = await self._service.get_session(
            app_name=self._app_name, user_id=self._user_id, session_id=session_id, config=config
        )
        return [from_event(each) for each in session.events] if session else []

    async def clear(self, session_id: str) -> None:
        """Delete the session."""
        await self._service.delete_session(
            app_name=self._app_name, user_id=self._user_id, session_id=session_id
        )

    async def list_sessions(self) -> list[str]:
        """The ids of the user's sessions."""
        listed = await self._service.list_sessions(app_name=self._app_name, user_id=self._user_id)
        return [each.id for each in listed.sessions]

    async def _append(
        self, session: Session | None, session_id: str, message: ChatMessage
    ) -> Session:
        for tries_left in reversed(range(TRIES)):
            try:
                session = session or await self._session(session_id)
                await self._service.append_event(session, to_event(message))
                return session
            except Exception as error:
                if not (tries_left and _is_overtaken(error)):
                    raise
            session = None
            await asyncio.sleep(0)
        raise AssertionError("the last try returns or raises")

    async def _session(self, session_id: str) -> Session:
        """The session as it is now, or a new one."""
        there = await self._service.get_session(
            app_name=self._app_name, user_id=self._user_id, session_id=session_id, config=NEWEST
        )
        return there or await self._service.create_session(
            app_name=self._app_name, user_id=self._user_id, session_id=session_id
        )


def _is_overtaken(error: Exception) -> bool:
    """Whether another writer was faster: not all releases have names of their own for it."""
    if type(error).__name__ in OVERTAKEN:
        return True
    said = str(error).lower()
    return any(words in said for words in ("stale", "last_update_time", "foreign key constraint"))

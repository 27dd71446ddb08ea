"""SqliteSessionService: a text in the state, or a name there, ends at NUL.

The state is merged by SQLite's JSON functions, which take NUL for the end; the session in memory
has the whole text, so the loss shows after a reload. InMemorySessionService and
DatabaseSessionService keep it. Also the reason for FID45 there. Exit 1 if a text or a name is
shorter than it was.

What to do: remove NUL from texts and names before they become state, or use DatabaseSessionService.
"""

import asyncio
import sys
import tempfile

from google.adk.events import Event, EventActions
from google.adk.sessions.sqlite_session_service import SqliteSessionService

NAMES = {"app_name": "app", "user_id": "ann", "session_id": "chat"}
DELTA = {"note": "before\0after", "na\0me": "value"}


async def main(directory: str) -> int:
    service = SqliteSessionService(f"{directory}/memory.db")
    session = await service.create_session(**NAMES)
    await service.append_event(session, Event(author="a", actions=EventActions(state_delta=DELTA)))
    found = (await service.get_session(**NAMES)).state
    wrong = found != DELTA
    print(f"{'broken' if wrong else 'held'}: the state {DELTA} was reloaded as {found}")
    return 1 if wrong else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

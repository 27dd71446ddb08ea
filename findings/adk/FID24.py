"""InMemorySessionService: it keeps the caller's own event, so editing that edits the history.

Its documentation says that it is for testing and development only. Exit 1 if an edit of an event
that was appended is shown by a later read.

What to do: hand in a copy of the event (event.model_copy(deep=True)).
"""

import asyncio
import sys

from google.adk.events import Event
from google.adk.sessions import InMemorySessionService

NAMES = {"app_name": "app", "user_id": "ann", "session_id": "chat"}


async def main() -> int:
    service = InMemorySessionService()
    session = await service.create_session(**NAMES)
    event = Event(author="user", custom_metadata={"tags": ["a"]})
    await service.append_event(session, event)
    event.custom_metadata["tags"].append("edited")
    back = (await service.get_session(**NAMES)).events[0].custom_metadata
    right = back == {"tags": ["a"]}
    print(f"{'held' if right else 'broken'}: after an edit of what was passed, {back} is read")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

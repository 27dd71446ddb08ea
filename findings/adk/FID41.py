"""SqliteSessionService up to 2.7.1: a value that is replaced keeps the keys of the one before.

The state is merged by json_patch, which merges dicts and takes None for removal: google/adk-python
issue 6728, mended in 2.8.0. Also the reason for FID43 there. Exit 1 if a key that was removed is
there after a reload.

What to do: upgrade to 2.8.0 or later.
"""

import asyncio
import sys
import tempfile

from google.adk.events import Event, EventActions
from google.adk.sessions.sqlite_session_service import SqliteSessionService

NAMES = {"app_name": "app", "user_id": "ann", "session_id": "chat"}


async def main(directory: str) -> int:
    service = SqliteSessionService(f"{directory}/memory.db")
    await service.create_session(**NAMES)
    for profile in ({"name": "Alice", "role": "admin"}, {"name": "Alice"}):
        delta = EventActions(state_delta={"profile": profile})
        session = await service.get_session(**NAMES)
        await service.append_event(session, Event(author="a", actions=delta))
    found = (await service.get_session(**NAMES)).state["profile"]
    wrong = found != {"name": "Alice"}
    print(f"{'broken' if wrong else 'held'}: replaced by {{'name': 'Alice'}}, it is {found}")
    return 1 if wrong else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

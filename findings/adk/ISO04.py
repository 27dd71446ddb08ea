"""InMemorySessionService and SqliteSessionService: ' chat' is answered with the session 'chat'.

They strip the id; DatabaseSessionService keeps the two apart. Also the reason for ISO11 there.
Exit 1 if the session 'chat' is shown for ' chat', which nobody has created.

What to do: strip the ids of sessions before they reach ADK.
"""

import asyncio
import sys
import tempfile
from typing import Any

from google.adk.sessions import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService

NAMES = {"app_name": "app", "user_id": "ann"}


async def is_shown(service: Any) -> bool:
    await service.create_session(**NAMES, session_id="chat")
    return await service.get_session(**NAMES, session_id=" chat") is not None


async def main(directory: str) -> int:
    services = [InMemorySessionService(), SqliteSessionService(f"{directory}/memory.db")]
    wrong = [type(each).__name__ for each in services if await is_shown(each)]
    print(f"broken: {wrong} show 'chat' for ' chat'" if wrong else "held: they are two sessions")
    return 1 if wrong else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

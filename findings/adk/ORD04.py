"""SqliteSessionService and DatabaseSessionService: an event with an older timestamp comes first.

Events are sorted by a time that the caller wrote, so the answer of a server whose clock is behind
comes before its question; InMemorySessionService keeps the order of the appends. Also the reason
for FID30 and FID31 there. Exit 1 if the event that was appended last does not come last.

What to do: leave the timestamps of events to one clock, that of the server which appends them.
"""

import asyncio
import sys
import tempfile
from typing import Any

from google.adk.events import Event
from google.adk.sessions import DatabaseSessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService

NAMES = {"app_name": "app", "user_id": "ann", "session_id": "chat"}


async def order_of(service: Any) -> list[str]:
    session = await service.create_session(**NAMES)
    for author, seconds in (("user", 1.0), ("agent", 0.5)):  # the agent's clock is behind
        event = Event(author=author, timestamp=session.last_update_time + seconds)
        await service.append_event(await service.get_session(**NAMES), event)
    return [each.author for each in (await service.get_session(**NAMES)).events]


async def main(directory: str) -> int:
    database = DatabaseSessionService(f"sqlite+aiosqlite:///{directory}/database.db")
    orders = {
        "SqliteSessionService": await order_of(SqliteSessionService(f"{directory}/sqlite.db")),
        "DatabaseSessionService": await order_of(database),
    }
    await database.close()
    wrong = [name for name, order in orders.items() if order != ["user", "agent"]]
    print(f"{'broken' if wrong else 'held'}: after the user spoke, the agent: {orders}")
    return 1 if wrong else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

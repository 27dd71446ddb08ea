"""DatabaseSessionService: events with one timestamp come back in another order.

They are sorted by timestamp and then by id, which is random. Also the reason for ORD07 there.
Exit 1 if ten events come back in another order than that of the appends.

What to do: give each event a timestamp of its own, later than the one before.
"""

import asyncio
import sys
import tempfile

from google.adk.events import Event
from google.adk.sessions import DatabaseSessionService

NAMES = {"app_name": "app", "user_id": "ann"}


async def main(directory: str) -> int:
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{directory}/memory.db")
    session = await service.create_session(**NAMES, session_id="chat")
    moment = session.last_update_time + 1
    for number in range(10):
        event = Event(author="user", invocation_id=str(number), timestamp=moment)
        await service.append_event(session, event)
    back = await service.get_session(**NAMES, session_id="chat")
    order = [int(each.invocation_id) for each in back.events]
    await service.close()
    right = order == list(range(10))
    print(f"{'held' if right else 'broken'}: events of one moment came back as {order}")
    return 0 if right else 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

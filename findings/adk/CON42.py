"""DatabaseSessionService on SQLite: sessions of one user at once lose values of the user.

All values of a user are one row, which is read, changed in Python and written back; the lock and
the marker are those of the session. Exit 1 if a value that was acknowledged is not there.

What to do: let one process at a time write the values of a user; keep others in the session.
"""

import asyncio
import sys
import tempfile

from google.adk.events import Event, EventActions
from google.adk.sessions import DatabaseSessionService

USER = {"app_name": "app", "user_id": "ann"}
SESSIONS, VALUES = 6, 10


async def main(directory: str) -> int:
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{directory}/memory.db")
    sessions = [await service.create_session(**USER, session_id=str(n)) for n in range(SESSIONS)]
    told: set[str] = set()

    async def work(session: object) -> None:
        for number in range(VALUES):
            name = f"{session.id} {number}"  # type: ignore[attr-defined]
            delta = EventActions(state_delta={f"user:{name}": True})
            await service.append_event(session, Event(author="a", actions=delta))  # type: ignore[arg-type]
            told.add(name)

    done = await asyncio.gather(*map(work, sessions), return_exceptions=True)
    found = (await service.get_session(**USER, session_id="0")).state
    lost = [name for name in told if f"user:{name}" not in found]
    await service.close()
    raised = sum(isinstance(each, BaseException) for each in done)
    print(
        f"{'broken' if lost else 'held'}: {len(told)} values set, {len(lost)} lost, {raised} raised"
    )
    return 1 if lost else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

"""SqliteSessionService: an event that was read last is not the last any more when read again.

Events are sorted by the time at which they were made, and the check for a stale session is not
made in the transaction of the write: of two writers at once both pass it. The reason for the
reordering in CON01 to CON13 and DUR16 to DUR19 there. Exit 1 if a later read does not begin with
what an earlier one showed.

What to do: append to a session from one place only, and read it again afterwards.
"""

import asyncio
import sys
import tempfile

from google.adk.errors._stale_session_error import StaleSessionError
from google.adk.events import Event
from google.adk.sessions.sqlite_session_service import SqliteSessionService

NAMES = {"app_name": "app", "user_id": "ann", "session_id": "chat"}
WRITERS, ROUNDS = 6, 40


async def main(directory: str) -> int:
    service = SqliteSessionService(f"{directory}/memory.db")
    await service.create_session(**NAMES)

    async def read() -> list[str]:
        return [each.author for each in (await service.get_session(**NAMES)).events]

    async def write_and_read(name: str) -> list[str]:
        while True:
            session = await service.get_session(**NAMES)
            try:
                await service.append_event(session, Event(author=name))
                return await read()
            except StaleSessionError:
                continue  # fetch the session again, as the error says

    for number in range(ROUNDS):
        names = [f"{number}.{writer}" for writer in range(WRITERS)]
        seen = await asyncio.gather(*map(write_and_read, names))
        now = await read()
        for earlier in seen:
            if earlier != now[: len(earlier)]:
                place = next(i for i, each in enumerate(earlier) if now[i] != each)
                print(f"broken: {earlier[place]!r} was read, then {now[place]!r} came before it")
                return 1
    print(f"held: {ROUNDS} times {WRITERS} appends at once, and what was read stayed in its place")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

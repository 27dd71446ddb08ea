"""DatabaseSessionService on SQLite: an event that was read last is not the last when read again.

Events are sorted by the time at which they were made, and on SQLite nothing keeps two processes
from appending to one session at once: both find their session fresh. The reason for the reordering
in CON01 to CON13 and DUR18 there. Exit 1 if a later read does not begin with what an earlier one
showed.

What to do: let one process at a time append to a session, or use another database than SQLite.
"""

import asyncio
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from google.adk.errors._stale_session_error import StaleSessionError
from google.adk.events import Event
from google.adk.sessions import DatabaseSessionService

NAMES = {"app_name": "app", "user_id": "ann", "session_id": "chat"}
PROCESSES, APPENDS = 4, 40


async def authors(service: DatabaseSessionService) -> list[str]:
    session = await service.get_session(**NAMES)
    return [each.author for each in session.events]


async def written_and_read(url: str, writer: int) -> list[list[str]]:
    reads = []
    async with DatabaseSessionService(url) as service:
        for number in range(APPENDS):
            while True:
                session = await service.get_session(**NAMES)
                try:
                    await service.append_event(session, Event(author=f"{writer}.{number}"))
                    break
                except StaleSessionError:
                    continue  # fetch the session again, as the error says
            reads.append(await authors(service))
    return reads


def in_process(url: str, writer: int) -> list[list[str]]:
    return asyncio.run(written_and_read(url, writer))


async def begun_or_ended(url: str, *, begin: bool) -> list[str]:
    async with DatabaseSessionService(url) as service:
        if begin:
            await service.create_session(**NAMES)
        return await authors(service)


def main(directory: str) -> int:
    url = f"sqlite+aiosqlite:///{directory}/memory.db"
    asyncio.run(begun_or_ended(url, begin=True))
    with ProcessPoolExecutor(PROCESSES, get_context("fork")) as pool:
        reads = pool.map(in_process, [url] * PROCESSES, range(PROCESSES))
        seen = [read for of_one in reads for read in of_one]
    now = asyncio.run(begun_or_ended(url, begin=False))
    for earlier in seen:
        if earlier != now[: len(earlier)]:
            place = next(i for i, each in enumerate(earlier) if now[i] != each)
            print(f"broken: {earlier[place]!r} was read, then {now[place]!r} came before it")
            return 1
    print(f"held: {PROCESSES} processes appended, and what was read stayed in its place")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

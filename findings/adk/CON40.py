"""DatabaseSessionService on SQLite: processes that set different names in one session lose some.

The state is one row that is read, changed in Python and written back. The marker that tells a
stale session is compared before the write and not with it, so two processes both find their session
fresh. Exit 1 if a value that was acknowledged is not there.

What to do: let one process at a time write to a session.
"""

import asyncio
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from google.adk.errors._stale_session_error import StaleSessionError
from google.adk.events import Event, EventActions
from google.adk.sessions import DatabaseSessionService

NAMES = {"app_name": "app", "user_id": "ann", "session_id": "chat"}
PROCESSES, VALUES = 4, 20


async def set_values(url: str, writer: int) -> list[str]:
    names = [f"{writer} {number}" for number in range(VALUES)]
    async with DatabaseSessionService(url) as service:
        for name in names:
            delta = EventActions(state_delta={name: True})
            while True:
                session = await service.get_session(**NAMES)
                try:
                    await service.append_event(session, Event(author="a", actions=delta))
                    break
                except StaleSessionError:
                    continue  # fetch the session again, as the error says
    return names


def in_process(url: str, writer: int) -> list[str]:
    return asyncio.run(set_values(url, writer))


async def state(url: str, *, begin: bool) -> dict[str, object]:
    async with DatabaseSessionService(url) as service:
        if begin:
            await service.create_session(**NAMES)
        return dict((await service.get_session(**NAMES)).state)


def main(directory: str) -> int:
    url = f"sqlite+aiosqlite:///{directory}/memory.db"
    asyncio.run(state(url, begin=True))
    with ProcessPoolExecutor(PROCESSES, get_context("fork")) as pool:
        done = list(pool.map(in_process, [url] * PROCESSES, range(PROCESSES)))
    found = asyncio.run(state(url, begin=False))
    told = [name for names in done for name in names]
    lost = [name for name in told if name not in found]
    print(f"{'broken' if lost else 'held'}: {len(told)} values were set, {len(lost)} are lost")
    return 1 if lost else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

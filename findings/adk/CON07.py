"""DatabaseSessionService: processes that begin in a new database at once do not all succeed.

Each looks whether the tables are there, and then makes them. Exit 1 if the first call of a process
raises in one of ten new databases.

What to do: make the tables once, before the first of several processes starts.
"""

import asyncio
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from google.adk.sessions import DatabaseSessionService

PROCESSES = 4
_barrier = None


async def first_call(path: str) -> None:
    async with DatabaseSessionService(f"sqlite+aiosqlite:///{path}") as service:
        _barrier.wait()  # type: ignore[attr-defined]
        await service.create_session(app_name="app", user_id="ann")


def in_process(path: str) -> str:
    try:
        asyncio.run(first_call(path))
    except Exception as error:
        return str(error).partition("\n")[0]
    return ""


def share(barrier: object) -> None:
    global _barrier
    _barrier = barrier


def main(directory: str) -> int:
    context = get_context("fork")
    barrier = context.Barrier(PROCESSES)
    with ProcessPoolExecutor(PROCESSES, context, initializer=share, initargs=(barrier,)) as pool:
        for number in range(10):
            path = f"{directory}/{number}.db"
            errors = list(filter(None, pool.map(in_process, [path] * PROCESSES)))
            if errors:
                print(f"broken: {len(errors)} of {PROCESSES} first calls at once: {errors[0]}")
                return 1
    print("held: ten new databases were begun by four processes at once")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

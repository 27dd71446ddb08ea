"""Other processes that save and roll back, and that can be killed at any instant."""

import asyncio
import random
import time
from multiprocessing.connection import Connection
from typing import Any

import goldfish
from tests.stores.pods import _context, batch


async def _serve(url: str, calls: Connection) -> None:
    async with goldfish.open_store(url) as store:
        while True:
            name, arguments, options = calls.recv()
            calls.send(await getattr(store, name)(*arguments, **options))


async def _swing(url: str, snapshots: list[str], calls: Connection) -> None:
    """Roll back from one snapshot to the next without end, saving in between."""
    async with goldfish.open_store(url) as store:
        for turn in range(1_000_000):
            await store.rollback_to_snapshot("s", snapshots[turn % len(snapshots)])
            await store.add_messages("s", batch("swing", turn))
            calls.send(await store.save_snapshot("s"))


def _serve_main(url: str, calls: Connection) -> None:
    asyncio.run(_serve(url, calls))


def _swing_main(url: str, snapshots: list[str], calls: Connection) -> None:
    asyncio.run(_swing(url, snapshots, calls))


class Caller:
    """A process that opens a store and calls what it is told to."""

    def __init__(self, url: str) -> None:
        self._calls, theirs = _context.Pipe()
        self._process: Any = _context.Process(target=_serve_main, args=(url, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def call(self, name: str, *arguments: Any, **options: Any) -> Any:
        self._calls.send((name, arguments, options))
        return self._calls.recv()

    def kill(self) -> None:
        """End it without any goodbye."""
        self._process.kill()
        self._process.join()
        self._calls.close()


def swing_and_be_killed(url: str, snapshots: list[str], moments: random.Random) -> list[str]:
    """The snapshots that a process was told are saved, before it was killed at some instant."""
    ours, theirs = _context.Pipe(duplex=False)
    arguments = (url, snapshots, theirs)
    process: Any = _context.Process(target=_swing_main, args=arguments, daemon=True)
    process.start()
    theirs.close()
    told = [ours.recv()]
    time.sleep(moments.random() * 0.02)
    process.kill()
    try:
        while True:
            told.append(ours.recv())
    except EOFError:
        process.join()
        ours.close()
    return told

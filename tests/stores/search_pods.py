"""Other processes that write to a session with vectors, until they are killed."""

import asyncio
import contextlib
from multiprocessing.connection import Connection
from typing import Any

import goldfish
from goldfish.testing import HashEmbedder
from tests.stores.pods import _context, batch


async def _write(url: str, writer: str, acks: Connection) -> None:
    async with goldfish.open_store(url, search=True, embedder=HashEmbedder()) as store:
        for number in range(10_000):
            await store.add_messages("s", batch(writer, number))
            acks.send(number)


def _main(url: str, writer: str, acks: Connection) -> None:
    asyncio.run(_write(url, writer, acks))


class SearchingPod:
    """A process that adds batches by a store that searches, and says which were acknowledged."""

    def __init__(self, url: str, writer: str) -> None:
        self.writer = writer
        self._acks, theirs = _context.Pipe(duplex=False)
        self.process: Any = _context.Process(target=_main, args=(url, writer, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def wait_for(self, count: int) -> set[str]:
        """What the next so many acknowledged batches said."""
        return self._said(self._acks.recv() for _ in range(count))

    def kill(self) -> set[str]:
        """End the process; what else was acknowledged."""
        self.process.kill()
        numbers = []
        with contextlib.suppress(EOFError):
            while True:
                numbers.append(self._acks.recv())
        self.process.join()
        self._acks.close()
        return self._said(numbers)

    def _said(self, numbers: Any) -> set[str]:
        return {str(m.content) for number in numbers for m in batch(self.writer, number)}

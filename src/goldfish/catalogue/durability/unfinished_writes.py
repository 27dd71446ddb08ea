"""DUR: a process that is killed in the middle of writing a fact loses no other fact."""

import asyncio
import time
from pathlib import Path
from typing import Any

from goldfish.catalogue.registry import OtherProcess, check
from goldfish.catalogue.support.facts import ExpectedFacts, offer
from goldfish.harness.errors import EndedError
from goldfish.harness.memory import Client, Memory, OpeningError

READINGS = {"readings": list(range(1000))}  # make a write long enough to be hit
ROUNDS = 4
PATIENCE = 0.2  # seconds to wait for a file to shrink
LONGEST_WRITE = 0.03


@check(
    "DUR29",
    "A process that is killed in the middle of writing a fact loses no acknowledged fact.",
    incident=(
        "mem0ai 2.2.1 with faiss: kill -9 while its file was being rewritten left a file that "
        "could not be read; the next opening started with an empty memory, without a warning."
    ),
    about="facts",
    needs=[OtherProcess],
)
async def a_kill_amid_a_write_loses_nothing_acknowledged(memory: Memory) -> None:
    teller = _Teller(memory)
    for _ in range(12):
        await teller.expected.tell(teller.user, teller.next_text(), **teller.options)
    await memory.close()
    for turn in range(int(ROUNDS * memory.effort)):
        victim = await memory.elsewhere()
        telling = asyncio.create_task(teller.tell_until_killed(victim))
        await asyncio.to_thread(_await_a_write, memory.sandbox.path)
        if turn % ROUNDS == ROUNDS - 1:  # the others are killed at the first sign of a write
            await asyncio.sleep(memory.random.uniform(0, LONGEST_WRITE))
        memory.kill(victim)
        in_doubt = await telling
        await teller.expect(await _open_patiently(memory), in_doubt)
        await memory.close()


class _Teller:
    """Tells one user's facts, and knows which of them were acknowledged."""

    def __init__(self, memory: Memory) -> None:
        self.expected, self.user = ExpectedFacts(memory), memory.session("ann")
        takes_metadata = memory.client.has("remember", "metadata")
        self.options: dict[str, Any] = {"metadata": READINGS} if takes_metadata else {}
        self.number = -1

    def next_text(self) -> str:
        self.number += 1
        return f"Ann met guest {self.number} in {2001 + self.number}"

    async def tell_until_killed(self, client: Client) -> str:
        """Tell one fact after the other; return the one that the killed process did not answer."""
        while True:
            text = self.next_text()
            refusal = await offer(client, self.user, text, **self.options)
            if refusal is None:
                self.expected.note(self.user, text)
            elif isinstance(refusal.error, EndedError):
                return text
            else:
                raise refusal

    async def expect(self, client: Client, in_doubt: str) -> None:
        """Raise if a fact is missing; the one in doubt may be there or not."""
        found = await self.expected.fetch(self.user, client=client)
        if in_doubt in found:
            self.expected.note(self.user, in_doubt)
        self.expected.compare(self.user, found)


async def _open_patiently(memory: Memory) -> Client:
    """Open the storage, at the second try if need be: a dead process may hold it for a moment."""
    try:
        return await memory.open()
    except OpeningError:
        await asyncio.sleep(PATIENCE)
        return await memory.open()


def _await_a_write(directory: Path) -> None:
    """Wait, but not for long, until a file shrinks, as a file does that is being rewritten."""
    until, before = time.monotonic() + PATIENCE, _measure_files(directory)
    while time.monotonic() < until:
        now = _measure_files(directory)
        if any(now.get(path, 0) < size for path, size in before.items()):
            return
        before = now


def _measure_files(directory: Path) -> dict[Path, int]:
    sizes = {}
    for path in directory.rglob("*"):
        try:
            sizes[path] = path.stat().st_size
        except FileNotFoundError:  # it was removed meanwhile
            continue
    return sizes
